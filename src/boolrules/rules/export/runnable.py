"""The exports that run elsewhere, of one rule set or of a model with one for each class."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from boolrules.rules.export.excel import excel_formula
from boolrules.rules.export.onnx import onnx_model
from boolrules.rules.export.pmml import pmml_document
from boolrules.rules.export.python import python_source
from boolrules.rules.export.sql import sql_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from boolrules.rules.decision_list import DecisionList


class Runnable(ABC):
    """Whatever is a list of decisions: each of these answers as ``predict`` does."""

    __slots__ = ()

    @property
    @abstractmethod
    def decisions(self) -> DecisionList:
        """The rules as one list, whose first decision that holds gives the label."""

    @property
    def _predicted(self) -> str | None:
        """The name of the predicted column, where it is known."""
        return None

    def to_sql(self, dialect: str = "sqlite", table: str | None = None) -> str:
        """Return a CASE expression that predicts as ``predict`` does; needs sqlglot.

        A missing value must be NULL: most databases take NaN for the largest number.

        Parameters
        ----------
        dialect : str
            For which database it is written: ``"sqlite"``, ``"duckdb"``, ``"postgres"``,
            ``"tsql"``, ``"oracle"``, ``"snowflake"``, ``"bigquery"`` or ``"spark"``.
        table : str or None
            With a table, a whole SELECT: its columns and a further one, ``prediction``.

        Examples
        --------
        >>> from boolrules import Clause, Condition, Relation, RuleSet
        >>> job = Clause((Condition("job title", Relation.NE, "chef d'équipe"),))
        >>> print(RuleSet((job,), positive="high", negative="low").to_sql(table="people"))
        SELECT
          *,
          CASE
            WHEN "people"."job title" <> 'chef d''équipe'
            THEN 'high'
            ELSE 'low'
          END AS "prediction"
        FROM "people"
        """
        return sql_text(self.decisions, dialect, table)

    def to_python(self) -> str:
        """Return the source of a function ``predict(row)`` that needs nothing but Python.

        The row is a dict of column to value; None and NaN are missing.

        Examples
        --------
        >>> from boolrules import Clause, Condition, Relation, RuleSet
        >>> rules = RuleSet((Clause((Condition("age", Relation.LE, 35),)),))
        >>> names = {}
        >>> exec(rules.to_python(), names)
        >>> names["predict"]({"age": 20}), names["predict"]({"age": None})
        (True, False)
        """
        return python_source(self.decisions)

    def to_excel(self, cells: Mapping[str, str] | None = None) -> str:
        """Return a formula for a spreadsheet that predicts one row as ``predict`` does.

        Empty cells, and cells with an error, are missing. Numbers are compared to 15 digits, which
        is what a spreadsheet keeps of them.

        Parameters
        ----------
        cells : dict or None
            The cell of each column in the row that is predicted, such as ``{"age": "A2"}``; None
            for a formula in a further column of an Excel table, whose columns go by their names.

        Examples
        --------
        >>> from boolrules import Clause, Condition, Relation, RuleSet
        >>> age = Clause((Condition("age", Relation.LE, 35),))
        >>> rules = RuleSet((age,), positive="high", negative="low")
        >>> rules.to_excel({"age": "A2"})
        '=IF(IF(ISNUMBER(A2),A2<=35,FALSE),"high","low")'
        >>> rules.to_excel()
        '=IF(IF(ISNUMBER([@age]),[@age]<=35,FALSE),"high","low")'
        """
        return excel_formula(self.decisions, cells)

    def to_pmml(self) -> str:
        """Return a PMML 4.4 document: a ``RuleSetModel`` whose first rule that holds decides.

        Examples
        --------
        >>> from boolrules import Clause, Condition, Relation, RuleSet
        >>> rules = RuleSet((Clause((Condition("age", Relation.LE, 35),)),))
        >>> '<SimplePredicate field="age" operator="lessOrEqual" value="35" />' in rules.to_pmml()
        True
        """
        return pmml_document(self.decisions, self._predicted)

    def to_onnx(self) -> bytes:
        """Return an ONNX model, as its file holds it; needs onnx.

        It has an input of shape (rows, 1) for each column that the rules read: text, or numbers in
        double precision, true and false being 1 and 0. Missing are NaN and the empty text; a
        column of which no more is asked than that is one of numbers. The output is ``prediction``.
        """
        return onnx_model(self.decisions)

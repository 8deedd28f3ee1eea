"""A decision list as an ONNX model: comparisons, AND, OR, and a choice of labels.

Numbers are in double precision, as ``predict`` compares them. A tensor knows no missing values:
NaN stands for them, and the empty text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from boolrules._support.optional import require
from boolrules.rules.clause import Form
from boolrules.rules.condition import Relation
from boolrules.rules.export.kinds import Kind, column_kinds, label_kind
from boolrules.rules.export.number import finite_number

if TYPE_CHECKING:
    from boolrules.rules.clause import Clause, Label
    from boolrules.rules.condition import Condition, Value
    from boolrules.rules.decision_list import Decision, DecisionList

PREDICTION = "prediction"
OPSET, IR_VERSION = 19, 9  # the first in which text can be compared


def onnx_model(decisions: DecisionList) -> bytes:
    """Write a whole model; see ``Runnable.to_onnx``."""
    onnx = require("onnx", needed_for="to_onnx()", install='pip install "boolrules[onnx]"')
    for text in (*decisions.features, *(x for x in decisions.labels if isinstance(x, str))):
        _check(text)
    if "" in decisions.features:
        raise ValueError("ONNX has no input without a name. Rename the column '' before fit.")
    return bytes(_Writer(onnx, decisions).write())


class _Writer:
    """Builds the graph, node by node; a value goes by a name that no column has."""

    def __init__(self, onnx: Any, decisions: DecisionList) -> None:
        self.onnx, self.decisions = onnx, decisions
        self.types = onnx.TensorProto
        self.kinds = column_kinds(decisions, unknown=Kind.NUMBER)
        self.label_kind = label_kind(decisions.labels, "ONNX")
        self.nodes: list[Any] = []
        self.constants: dict[Any, str] = {}
        self.initializers: list[Any] = []
        self.prefix = "_"
        while any(name.startswith(self.prefix) for name in self.kinds):
            self.prefix += "_"

    def write(self) -> bytes:
        helper = self.onnx.helper
        answer = self._answers()
        output = PREDICTION
        while output in self.kinds:
            output += "_"
        labels = {
            Kind.TEXT: self.types.STRING,
            Kind.NUMBER: self._number_type(),
            Kind.BOOLEAN: self.types.BOOL,
        }[self.label_kind]
        self.nodes.append(helper.make_node("Identity", [answer], [output]))
        inputs = [
            helper.make_tensor_value_info(name, self._type(kind), ["rows", 1])
            for name, kind in self.kinds.items()
        ]
        shape = ["rows" if self.kinds else 1, 1]
        graph = helper.make_graph(
            self.nodes,
            "boolrules",
            inputs,
            [helper.make_tensor_value_info(output, labels, shape)],
            self.initializers,
        )
        model = helper.make_model(
            graph,
            opset_imports=[helper.make_opsetid("", OPSET)],
            ir_version=IR_VERSION,
            producer_name="boolrules",
        )
        self.onnx.checker.check_model(model)
        return bytes(model.SerializeToString())

    def _answers(self) -> str:
        """Return the label of the first decision that holds; true and false by way of 1 and 0."""
        answer = self._label(self.decisions.otherwise)
        for decision in reversed(self.decisions.decisions):
            answer = self._node(
                "Where", self._decision(decision), self._label(decision.label), answer
            )
        if self.label_kind is Kind.BOOLEAN:
            answer = self._node("Cast", answer, to=self.types.BOOL)
        return answer

    def _decision(self, decision: Decision) -> str:
        clauses = [self._clause(clause, decision.form) for clause in decision.clauses]
        return self._joined("Or" if decision.form is Form.DNF else "And", clauses)

    def _clause(self, clause: Clause, form: Form) -> str:
        conditions = [self._condition(condition) for condition in clause.conditions]
        return self._joined("And" if form is Form.DNF else "Or", conditions)

    def _joined(self, operator: str, parts: list[str]) -> str:
        if not parts:
            return self._constant(operator == "And", self.types.BOOL)
        joined = parts[0]
        for part in parts[1:]:
            joined = self._node(operator, joined, part)
        return joined

    def _condition(self, condition: Condition) -> str:
        name = condition.feature
        match condition.relation, condition.value:
            case Relation.IS_NULL, _:
                return self._is_missing(name)
            case Relation.IS_NOT_NULL, _:
                return self._node("Not", self._is_missing(name))
            case Relation.IN, (lower, upper):
                test = self._node(
                    "And",
                    self._compared("Greater", name, lower),
                    self._compared("LessOrEqual", name, upper),
                )
            case Relation.NOT_IN, (lower, upper):
                test = self._node(
                    "Or",
                    self._compared("LessOrEqual", name, lower),
                    self._compared("Greater", name, upper),
                )
            case Relation.NE, value:
                test = self._differs(name, value)
            case relation, value:
                operator = {Relation.LE: "LessOrEqual", Relation.GT: "Greater"}
                test = self._compared(operator.get(relation, "Equal"), name, value)
        excepted = [self._differs(name, special) for special in condition.except_values]
        return self._joined("And", [test, *excepted])

    def _compared(self, operator: str, name: str, value: Value) -> str:
        return self._node(operator, name, self._value(value))

    def _differs(self, name: str, value: Value) -> str:
        """Whether a value is known and another."""
        is_other = self._node("Not", self._compared("Equal", name, value))
        return self._node("And", is_other, self._node("Not", self._is_missing(name)))

    def _is_missing(self, name: str) -> str:
        if self.kinds[name] is Kind.TEXT:
            return self._node("Equal", name, self._constant("", self.types.STRING))
        return self._node("IsNaN", name)

    def _value(self, value: Value) -> str:
        if isinstance(value, str):
            _check(value)
            if not value:
                raise ValueError(
                    "ONNX cannot tell the empty text, which the rules ask for, from a missing "
                    "one. Give that category a name before fit."
                )
            return self._constant(value, self.types.STRING)
        number = float(value) if isinstance(value, bool) else float(finite_number(value))  # type: ignore[arg-type]
        return self._constant(number, self.types.DOUBLE)

    def _label(self, label: Label) -> str:
        plain = label.item() if isinstance(label, np.generic) else label
        if self.label_kind is Kind.TEXT:
            return self._constant("" if plain is None else plain, self.types.STRING)
        if plain is None:
            raise ValueError(
                "A tensor of numbers or of true and false has no place for no label. Give the "
                "rules both labels, or text as labels."
            )
        is_boolean = self.label_kind is Kind.BOOLEAN
        return self._constant(int(plain) if is_boolean else plain, self._number_type())

    def _number_type(self) -> Any:
        """Whole numbers, unless some label is none."""
        labels = [label for label in self.decisions.labels if label is not None]
        is_whole = all(isinstance(label, int | np.integer | np.bool_) for label in labels)
        return self.types.INT64 if is_whole else self.types.DOUBLE

    def _type(self, kind: Kind) -> Any:
        return self.types.STRING if kind is Kind.TEXT else self.types.DOUBLE

    def _constant(self, value: Any, data_type: Any) -> str:
        key = (repr(value), data_type)
        if key not in self.constants:
            self.constants[key] = name = f"{self.prefix}constant{len(self.constants)}"
            held = value.encode() if isinstance(value, str) else value
            tensor = self.onnx.helper.make_tensor(name, data_type, [1, 1], [held])
            self.initializers.append(tensor)
        return self.constants[key]

    def _node(self, operator: str, *inputs: str, **attributes: Any) -> str:
        name = f"{self.prefix}{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(operator, list(inputs), [name], **attributes))
        return name


def _check(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{text!r:.40} cannot be written as UTF-8, which ONNX needs.") from None

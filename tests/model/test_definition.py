"""The published schema is the definition by which model files are read, ranges and all."""

import copy
import json
import random

import jsonschema
import pytest
from altered import KINDS, alter, at, fit, name_of, places, signed

from boolrules import Model
from boolrules.cli.main import main
from boolrules.model import definition
from boolrules.model.definition import check_form

SCHEMA = definition._schema()
PUBLISHED = jsonschema.Draft202012Validator(SCHEMA)
pytestmark = pytest.mark.filterwarnings("ignore:Every label is")


@pytest.fixture(scope="module", params=["dnf", "three classes by weight", "demands", "f1"])
def plain(request):
    return json.loads(fit(request.param)[2].to_json())


def is_read(plain):
    try:
        check_form(plain)
    except ValueError as error:
        assert len(str(error).splitlines()) == 1  # noqa: PT017
        return False
    return True


def keywords(schema):
    """Return every keyword that a schema uses, apart from those of names and texts."""
    for keyword, part in schema.items():
        yield keyword
        if keyword in ("properties", "$defs"):
            for one in part.values():
                yield from keywords(one) if isinstance(one, dict) else ()
        elif keyword in ("oneOf", "prefixItems"):
            for one in part:
                yield from keywords(one)
        elif isinstance(part, dict):
            yield from keywords(part)


def test_the_reader_knows_every_keyword_of_the_schema():
    known = {"$schema", "title", "description", "$defs", "$ref", "oneOf", "items", "prefixItems"}
    known |= {"properties", "required", "additionalProperties"} | set(definition._KEYWORDS)
    assert set(keywords(SCHEMA)) <= known


@pytest.mark.parametrize("seed", range(4))
def test_the_reader_turns_down_whatever_a_validator_of_the_schema_does(plain, seed):
    draws = random.Random(seed)
    verdicts = []
    for _ in range(60):
        _, altered = alter(plain, draws)
        verdicts.append((PUBLISHED.is_valid(altered), is_read(altered)))
    assert (False, True) not in verdicts
    assert {(True, True), (False, False)} <= set(verdicts)


@pytest.mark.parametrize("kind", KINDS)
def test_what_save_writes_is_read(kind):
    plain = json.loads(fit(kind)[2].to_json())
    check_form(plain)
    PUBLISHED.validate(plain)


def test_every_object_of_a_file_knows_its_parts(plain):
    for path in [(), *places(plain)]:
        if isinstance(at(plain, path), dict):
            altered = copy.deepcopy(plain)
            at(altered, path)["note"] = 1
            monotone = name_of(path).endswith(("monotone", "where"))
            with pytest.raises(ValueError, match="note" if not monotone else "."):
                Model.from_json(signed(altered))


OUT_OF_RANGE = {
    ("costs", 0): [10**30, 1e308, -1, -5e-324, 2**53 + 1, True, "1", None],
    ("class_weights", 0): [1e308, 10**400, -0.5, float("inf")],
    ("classes", 0): [10**30, [1], {}, float("nan")],
    ("certificates", 0, "lower_bound"): [-0.5, -1, float("nan"), 10**400, "8"],
    ("certificates", 0, "hamming_loss"): [-1, None],
    ("certificates", 0, "complexity"): [-1, 2**53 + 1],
    ("certificates", 0, "problem", "max_complexity"): [-1, 10**10, 1e308, None],
    ("certificates", 0, "problem", "max_clauses"): [0, 2**64, 1.5, True],
    ("certificates", 0, "problem", "max_conditions"): [0, 2**64, 2.0],
    ("certificates", 0, "problem", "clause_cost"): [-1, 1e10, 1e-300, None],
    ("certificates", 0, "problem", "complexity_penalty"): [-1, 1e16],
    ("certificates", 0, "problem", "min_coverage"): [-1, 2**60, 1.0],
    ("certificates", 0, "duals", "scale"): [0, -1, 3, 2**1100],
    ("certificates", 0, "duals", "lam"): [-1, 2**62, 0.5],
    ("rule_sets", 0, "statistics", 0, 0): [-1, float("inf"), 0],
    ("rule_sets", 0, "calibration", "slope"): [-1, None],
    ("rule_sets", 0, "target"): [3, "\ud800"],
    ("features", 0, "thresholds", 0): [float("nan"), 1e400, "3", 2**53 + 1],
    ("training_rows", "n_rows"): [0, 2**60, 1.5],
    ("has_sample_weight",): [0, None, "false"],
    ("version",): [True, 1.0, 2, "1"],
}


@pytest.mark.parametrize(
    ("path", "value"),
    [(path, value) for path, values in OUT_OF_RANGE.items() for value in values],
    ids=lambda part: name_of(part) if isinstance(part, tuple) else f"{part!r:.20}",
)
def test_a_number_out_of_range_is_refused_in_one_line_that_names_it(path, value):
    altered = copy.deepcopy(GOOD)
    at(altered, path[:-1])[path[-1]] = value
    with pytest.raises(ValueError, match=r"^[^\n]{5,300}$"):
        Model.from_json(json.dumps(altered))


GOOD = json.loads(fit("dnf")[2].to_json())


@pytest.mark.parametrize("limit", [1e308, 2**31, -1])
def test_a_requirement_out_of_range_is_refused(limit):
    altered = json.loads(fit("requirements")[2].to_json())
    altered["certificates"][0]["requirements"][2]["limit"] = limit
    with pytest.raises(ValueError, match=r"^[^\n]{5,300}$"):
        Model.from_json(json.dumps(altered))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("costs", 0), 10**30),
        (("class_weights", 0), 1e308),
        (("certificates", 0, "lower_bound"), -0.5),
        (("rule_sets", 0, "positive"), "nobody"),
        (("rule_sets", 0, "target"), "\ud800"),
    ],
    ids=lambda part: name_of(part) if isinstance(part, tuple) else f"{part!r:.20}",
)
@pytest.mark.parametrize("command", ["verify", "predict", "score", "explain", "export"])
def test_every_command_refuses_it_with_exit_code_2(tmp_path, capsys, command, path, value):
    altered = copy.deepcopy(GOOD)
    at(altered, path[:-1])[path[-1]] = value
    model, data = tmp_path / "model.json", tmp_path / "data.csv"
    model.write_text(signed(altered), encoding="utf-8")
    data.write_text("age,score,job,member,code,risk\n1,2,cook,true,3,low\n", encoding="utf-8")
    rest = ["--to", "python"] if command == "export" else [str(data)]
    assert main([command, str(model), *rest]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.splitlines()) == 1
    assert "is not a usable boolrules model" in err


@pytest.mark.parametrize("depth", [150, 400, 900])
def test_branches_that_are_nested_too_deeply_are_refused(depth):
    tree = {"bound": 1, "duals": {"mu": [], "lam": 0, "scale": 1}}
    for row in range(depth):
        tree = {"row": row, "covered": tree, "missed": tree}
        if row > 3:  # one side is enough
            tree["missed"] = {"bound": 1, "duals": {"mu": [], "lam": 0, "scale": 1}}
    altered = copy.deepcopy(GOOD)
    altered["certificates"][0] |= {"argument": "branches", "branches": tree}
    with pytest.raises(ValueError, match=r"^[^\n]{5,300}$"):
        Model.from_json(json.dumps(altered))

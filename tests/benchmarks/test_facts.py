"""What rows of results say of where they come from."""

import subprocess

from benchmarks import facts


def test_the_commit_has_a_plus_where_code_is_changed_and_not_for_results(tmp_path, monkeypatch):
    def git(*arguments):
        who = ["-c", "user.name=a", "-c", "user.email=a@b"]
        subprocess.run(["git", *who, "-C", str(tmp_path), *arguments], check=True)

    monkeypatch.setattr(facts, "ROOT", tmp_path)
    assert facts.commit() == "unknown"
    (tmp_path / "src").mkdir()
    (tmp_path / "benchmarks" / "results").mkdir(parents=True)
    for path in (tmp_path / "src" / "a.py", tmp_path / "benchmarks" / "results" / "a.csv"):
        path.write_text("1", encoding="utf-8")
    git("init", "--quiet")
    git("add", ".")
    git("commit", "--quiet", "--message", "first")
    first = facts.commit()
    (tmp_path / "benchmarks" / "results" / "a.csv").write_text("2", encoding="utf-8")
    assert facts.commit() == first
    (tmp_path / "src" / "a.py").write_text("2", encoding="utf-8")
    assert facts.commit() == f"{first}+"
    git("commit", "--quiet", "--all", "--message", "second")
    assert facts.commit() not in (first, f"{first}+")


def test_facts_are_said_once_and_rows_without_any_say_nothing():
    one = {"data": "a", "machine": "m", "versions": "v-1", "commit": "c", "date": "d"}
    rows = [one, one | {"data": "b"}, {"data": "c"}, one | {"commit": "e"}]
    assert facts.said_of(rows) == "m, v-1, c, d; m, v-1, e, d"
    assert facts.said_of([]) == ""


def test_a_row_of_ours_names_all_facts():
    row = facts.facts({"rival": "1.0"})
    assert tuple(row) == facts.FACTS
    assert all(row.values())
    assert row["versions"].endswith("rival-1.0")

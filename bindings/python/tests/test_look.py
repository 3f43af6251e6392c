"""A look finds the caps of a job, as `chronoveil look` does."""

import json

import pytest

import chronoveil as cv
from rows import as_csv

ROWS = {"card": [f"c{row % 3000}" for row in range(9000)], "at": [f"2026-03-01T{row * 7 % 24:02}:30" for row in range(9000)]}


def job(source, **more):
    return cv.Counts(cv.Records(source, user="card", time="at"), cv.Slots("2026-03-01T00:00", "2026-03-02T00:00", "1h"),
                     epsilon=1, delta=1e-6, csv="out.csv", **more)


def test_the_job_comes_back_with_caps_that_name_the_look(city, folder):
    look = job(ROWS).look(city, epsilon=0.3, lengths=["1h"])
    assert look.debit == "city:1" and 2000 < look.people < 4000 and look.guarantee.epsilon <= 0.3
    capped = look.job
    assert capped.sections["privacy"]["max_steps"] >= 1 and capped.sections["privacy"]["caps_from"] == "city:1"
    assert "max_steps" not in job(ROWS).to_toml() and "max_steps" in capped.to_toml()
    with pytest.raises(cv.UsageError, match="max_steps"):
        job(ROWS).plan()
    release = capped.run(city)
    assert len(city.history()) == 2 and any("city:1" in text for _, text in release.guarantee.assumptions)
    assert "epsilon" in repr(look.guarantee) and "max_steps" in repr(look)
    again = job(ROWS).look(city, epsilon=0.3, lengths=["1h"], again="city:1")
    assert again.document == look.document and again.job.to_toml() == capped.to_toml() and len(city.history()) == 2


def test_a_look_is_the_program_s(folder, program):
    theirs = job(as_csv(ROWS, folder / "rows.csv"))
    (folder / "job.toml").write_text(theirs.to_toml("city"), encoding="utf-8")
    told = json.loads(program("look", "job.toml", "--epsilon", 0.3, "--seed", 3, "--json"))
    ours = job(ROWS).look("city", epsilon=0.3, seed=3)
    for key in ("people", "questions", "choices", "proposal"):
        assert ours.document[key] == told[key], key
    assert ours.job is None and "not private" in ours.mark and ours.debit is None  # what is not private changes no job


def test_a_look_at_a_job_file_leaves_the_file_alone(city, folder):
    as_csv(ROWS, folder / "rows.csv")
    text = job("rows.csv", max_steps=3).to_toml(city)
    (folder / "job.toml").write_text(text, encoding="utf-8")
    look = cv.read_job("job.toml").look(city, epsilon=0.3, lengths=["1h"])
    assert (folder / "job.toml").read_text(encoding="utf-8") == text
    assert look.job.to_toml(city) != text and look.job.run(city).debit == city.history()[1].id


def test_too_few_people_give_no_caps(city):
    look = job({"card": ["a"], "at": ["2026-03-01T08:30"]}).look(city, epsilon=0.1)
    assert look.job is None and "no cap" in repr(look) and look.debit == "city:1"

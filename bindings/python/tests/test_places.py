"""Cells of H3: the box makes the public list, whoever is in it."""

import pytest

import chronoveil as cv

h3 = pytest.importorskip("h3")
BOX = (8.49, 47.34, 8.55, 47.39)
ROWS = range(2000)
POINTS = {"bus": [f"b{row % 50}" for row in ROWS], "at": [f"2026-03-02T{row % 24:02}:10" for row in ROWS],
          "lon": [8.50 + row % 17 / 400 for row in ROWS], "lat": [47.35 + row % 13 / 400 for row in ROWS],
          "speed": [float(row % 60) for row in ROWS]}
SLOTS = cv.Slots("2026-03-02T00:00", "2026-03-03T00:00", "1d")
ASKED = {"upper": 65, "counts": "public", "max_cells": 4, "epsilon": 2.0}


def test_points_and_cells_give_the_same_means():
    """A point lies in the cell that h3 says, so a column of cells gives what the points give."""
    cells = {**{name: POINTS[name] for name in ("bus", "at", "speed")},
             "cell": [h3.latlng_to_cell(lat, lon, 7) for lat, lon in zip(POINTS["lat"], POINTS["lon"])]}
    of_points = cv.Means(cv.Records(POINTS, user="bus", time="at", value="speed", longitude="lon", latitude="lat"), SLOTS,
                         places=cv.H3(7, BOX), **ASKED).run(seed=1)
    of_cells = cv.Means(cv.Records(cells, user="bus", time="at", value="speed", place="cell"), SLOTS,
                        places=cv.H3(7, BOX), **ASKED).run(seed=1)
    assert of_points.columns["place"] == of_cells.columns["place"] == cv.H3(7, BOX).cells
    assert of_points.columns["mean"] == of_cells.columns["mean"]


def test_the_box_alone_decides_which_cells_there_are():
    cells = cv.H3(7, BOX).cells
    nobody = {name: column[:1] for name, column in POINTS.items()}
    release = cv.Means(cv.Records(nobody, user="bus", time="at", value="speed", longitude="lon", latitude="lat"), SLOTS,
                       places=cv.H3(7, BOX), **ASKED).run(seed=1)
    assert release.columns["place"] == cells
    for corner in ((47.34, 8.49), (47.39, 8.55)):
        assert h3.latlng_to_cell(*corner, 7) in cells


def test_cells_can_be_counted_and_kept_in_a_file(folder):
    job = cv.Counts(cv.Records(POINTS, user="bus", time="at", longitude="lon", latitude="lat"), SLOTS,
                    places=cv.H3(7, BOX, file=folder / "cells.geojson"), max_steps=2, epsilon=1.0)
    (folder / "job.toml").write_text(job.to_toml("city"), encoding="utf-8")
    expected = job.run(seed=1, allow_uninformative=True).to_csv()
    again = cv.read_job("job.toml", POINTS)
    assert again.run(seed=1, allow_uninformative=True).to_csv() == expected


def test_a_job_file_needs_cells_that_last(folder):
    job = cv.Counts(cv.Records(POINTS, user="bus", time="at", longitude="lon", latitude="lat"), SLOTS,
                    places=cv.H3(7, BOX), max_steps=2, epsilon=1.0)
    assert len(job.run(seed=1, allow_uninformative=True)) > 1 and "places" in repr(job)
    with pytest.raises(cv.UsageError, match="cells.geojson"):
        job.to_toml("city")

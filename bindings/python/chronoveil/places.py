"""Where things are, in public: a grid, areas, or cells of H3. A point belongs to the place that holds it."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

__all__ = ["Areas", "Grid", "H3"]


class Grid:
    """Hexagons or squares of a box of longitudes and latitudes; `size` is in metres.

    >>> import chronoveil as cv
    >>> points = {"bus": ["b1"], "at": ["2026-03-02T08:10"], "lon": [8.52], "lat": [47.36], "speed": [31.0]}
    >>> job = cv.Means(cv.Records(points, user="bus", time="at", value="speed", longitude="lon", latitude="lat"),
    ...                cv.Slots("2026-03-02T00:00", "2026-03-03T00:00", "1d"), upper=65, counts="public", max_cells=1,
    ...                places=cv.Grid(8.49, 47.34, 8.55, 47.39, size=2000), epsilon=1)
    >>> len(job.run(seed=1)) > 4  # every hexagon of the box, whoever was in it
    True
    """

    def __init__(self, west: float, south: float, east: float, north: float, size: float,
                 shape: str | None = None) -> None:
        self._section = {"west": west, "south": south, "east": east, "north": north, "size": size}
        if shape is not None:
            self._section["shape"] = shape  # type: ignore[assignment]

    def section(self, columns: Mapping[str, Any]) -> dict[str, Any]:
        """[places] of a job file."""
        return dict(self._section)


class Areas:
    """Polygons of a public GeoJSON file; `name` is the property that names them."""

    def __init__(self, areas: str | os.PathLike[str], name: str = "name") -> None:
        self._section = {"areas": os.fspath(areas), "name": name}

    def section(self, columns: Mapping[str, Any]) -> dict[str, Any]:
        """[places] of a job file."""
        return dict(self._section)


class H3:
    """The cells of H3 that touch a box (west, south, east, north); needs the package `h3`.

    The box makes the public list: which cells there are does not depend on the data. With a column of cells as `place`
    or `series` they are keys. With longitudes and latitudes they are areas, written to `file`, or else to a temporary
    file that lives as long as this object.

    >>> import chronoveil as cv
    >>> cv.H3(6, (8.49, 47.34, 8.55, 47.39)).cells
    ['861f83367ffffff', ...]
    """

    def __init__(self, resolution: int, box: tuple[float, float, float, float],
                 file: str | os.PathLike[str] | None = None) -> None:
        import h3
        west, south, east, north = box
        shape = h3.LatLngPoly([(south, west), (south, east), (north, east), (north, west)])
        self.cells: list[str] = sorted(h3.h3shape_to_cells_experimental(shape, resolution, contain="overlap"))
        self._file = None if file is None else Path(file)
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def _written(self) -> str:
        import h3
        if self._file is None:
            self._folder = tempfile.TemporaryDirectory(prefix="chronoveil-h3-")
            self._file = Path(self._folder.name) / "cells.geojson"
        features = [{"type": "Feature", "properties": {"name": cell},
                     "geometry": {"type": "Polygon", "coordinates": [_ring(h3.cell_to_boundary(cell))]}}
                    for cell in self.cells]
        self._file.write_text(json.dumps({"type": "FeatureCollection", "features": features}), encoding="utf-8")
        return str(self._file)

    def section(self, columns: Mapping[str, Any]) -> dict[str, Any]:
        """[places] of a job file."""
        return {"areas": self._written()} if "longitude" in columns else {"keys": self.cells}

    @property
    def is_temporary(self) -> bool:
        """Whether the file of its areas goes with this object."""
        return self._folder is not None


def _ring(corners: Any) -> list[list[float]]:
    ring = [[longitude, latitude] for latitude, longitude in corners]
    return [*ring, ring[0]]

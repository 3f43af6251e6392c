"""The same rows as a file and in every kind of frame that takes part."""

TRIPS = {
    "card": [f"c{person}" for person in range(60)],
    "ts": [f"2026-03-28T{person % 24:02}:30" for person in range(60)],
    "stop": ["north" if person % 2 else "south" for person in range(60)],
}
SPEEDS = {
    "bus": [f"b{row % 40}" for row in range(400)],
    "at": [f"2026-03-02T{row % 24:02}:15" for row in range(400)],
    "place": ["centre" if row % 3 else "port" for row in range(400)],
    "speed": [float(row % 60) + 0.25 for row in range(400)],
}
METER = {
    "time": [f"2026-03-01T{row // 6:02}:{row % 6}0" for row in range(144)],
    "kwh": [f"{row // 36}.{row * 53 % 100:02}" for row in range(144)],
}
WEEKLY = {
    "time": [f"2026-03-{day:02}" for day in range(1, 29)],
    "cases": [day * 7 % 40 for day in range(1, 29)],
}


def as_csv(columns, path):
    lines = [",".join(columns), *(",".join(str(cell) for cell in row) for row in zip(*columns.values()))]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def pandas_frame(columns):
    import pandas
    return pandas.DataFrame(columns)


def polars_frame(columns):
    import polars
    return polars.DataFrame(columns)


def lazy_frame(columns):
    return polars_frame(columns).lazy()


def arrow_table(columns):
    import pyarrow
    table = pyarrow.table(columns)
    return pyarrow.concat_tables([table.slice(0, 7), table.slice(7, 0), table.slice(7)])  # slices, an empty batch


def dictionaries(columns):
    """Texts by number, as pandas' categories and Parquet have them."""
    import pyarrow
    table = pyarrow.table(columns)
    return pyarrow.table({name: column.dictionary_encode() if pyarrow.types.is_string(column.type) else column
                          for name, column in zip(table.column_names, table.columns)})


def views(columns):
    """The third layout of text."""
    import pyarrow
    table = pyarrow.table(columns)
    return pyarrow.table({name: column.cast(pyarrow.string_view()) if pyarrow.types.is_string(column.type) else column
                          for name, column in zip(table.column_names, table.columns)})


def relation(columns):
    import duckdb
    table = arrow_table(columns)  # noqa: F841: DuckDB finds it by its name
    return duckdb.connect().from_arrow(table)


def plain(columns):
    return columns


FORMS = [pandas_frame, polars_frame, lazy_frame, arrow_table, dictionaries, views, relation, plain]

"""Opens every Parquet file below some folders with DuckDB and with pandas, and prints what each sees of each folder as JSON."""

import datetime
import json
import pathlib
import sys

import duckdb
import pandas


def plain(value):
    """A cell as JSON has it; None where the column is null there, or holds a moment."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (datetime.datetime, bytes)) or value is pandas.NaT or value != value:
        return None
    return value


def rows(names, all_rows):
    return [{n: v for n, v in ((n, plain(v)) for n, v in zip(names, r)) if v is not None} for r in all_rows]


def look(path):
    relation = duckdb.sql(f"select * from read_parquet('{path}')")
    frame = pandas.read_parquet(path)
    sums = {}
    for column in ("acked", "visible", "delivered"):
        if column in relation.columns:
            by_duckdb = duckdb.sql(f"select pipeline, sum({column})::bigint from read_parquet('{path}') group by 1").fetchall()
            sums[column] = [dict(by_duckdb), {k: int(v) for k, v in frame.groupby("pipeline")[column].sum().items()}]
    kinds = {}
    if path.stem in ("anomalies", "history"):
        kinds = dict(duckdb.sql(f"select kind, count(*) from read_parquet('{path}') group by 1").fetchall())
    # DuckDB needs a module of its own to make Python's objects of moments with a zone: those columns are left out.
    cells = [n for n, t in zip(relation.columns, relation.types) if "TIMESTAMP" not in str(t)]
    columns = ", ".join('"' + n + '"' for n in cells)
    first = duckdb.sql(f"select {columns} from read_parquet('{path}') limit 5").fetchall()
    return {
        "duckdb": {
            "rows": duckdb.sql(f"select count(*) from read_parquet('{path}')").fetchall()[0][0],
            "columns": list(relation.columns),
            "first": rows(cells, first),
        },
        "pandas": {
            "rows": len(frame),
            "columns": list(frame.columns),
            "first": rows(cells, frame[cells].head(5).itertuples(index=False, name=None)),
        },
        "sums": sums,
        "kinds": kinds,
    }


seen = []
for folder in sys.argv[1:]:
    paths = sorted(pathlib.Path(folder).rglob("*.parquet"))
    seen.append({path.parent.name + "/" + path.stem: look(path) for path in paths})
json.dump(seen, sys.stdout)

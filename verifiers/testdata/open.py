"""Opens every Parquet file below a folder with DuckDB and with pandas, and prints what each sees as JSON."""

import json
import pathlib
import sys

import duckdb
import pandas

seen = {}
for path in sorted(pathlib.Path(sys.argv[1]).rglob("*.parquet")):
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
    seen[path.parent.name + "/" + path.stem] = {
        "duckdb": {"rows": duckdb.sql(f"select count(*) from read_parquet('{path}')").fetchall()[0][0], "columns": list(relation.columns)},
        "pandas": {"rows": len(frame), "columns": list(frame.columns)},
        "sums": sums,
        "kinds": kinds,
        "text": str(frame.iloc[0]["text"]) if path.stem == "anomalies" and len(frame) else "",
    }
json.dump(seen, sys.stdout)

"""Opens a table of pairs with pandas and pyarrow and compares it with JSON Lines of the same pairs.

    python3 read_parquet.py TABLE.parquet PAIRS.jsonl [TABLE.csv [COPY.parquet]]

Prints the number of rows; any difference is an error. With a fourth name the table is written
again by pandas, so that its way of writing can be read back.
"""

import json
import sys

import pandas
import pyarrow.parquet

COLUMNS = """id article title categories kind label statement_title anchor file dialect statement proof
    statement_readable proof_readable statement_text_tokens statement_math_tokens proof_text_tokens
    proof_math_tokens statement_runs proof_runs""".split()


def check(place, found, expected):
    if found != expected:
        raise ValueError(f"{place}: found {found!r}, expected {expected!r}")


def check_side(place, row, name, side):
    check(f"{place} {name}_readable", row[f"{name}_readable"], side["readable"])
    check(f"{place} {name}", row[name], " ".join(run[1] for run in side["runs"]))
    for kind in ("text", "math"):
        tokens = sum(len(run[1].split()) for run in side["runs"] if run[0] == kind)
        check(f"{place} {name}_{kind}_tokens", row[f"{name}_{kind}_tokens"], tokens)


def main(table_path, pairs_path, csv_path=None, copy_path=None):
    with open(pairs_path, encoding="utf-8", newline="\n") as file:
        pairs = [json.loads(line) for line in file.read().split("\n") if line]
    schema = pyarrow.parquet.read_schema(table_path)
    check("columns", schema.names, COLUMNS)
    check("type of categories", str(schema.field("categories").type), "list<element: string not null>")
    table = pandas.read_parquet(table_path, engine="pyarrow")
    check("rows", len(table), len(pairs))
    for place, (row, pair) in enumerate(zip(table.to_dict("records"), pairs)):
        check(f"{place} id", row["id"], pair["id"])
        check(f"{place} categories", list(row["categories"]), pair["article"]["categories"])
        for name in ("title", "file", "dialect"):
            check(f"{place} {name}", row[name], pair["article"][name])
        for name in ("kind", "label", "anchor"):
            check(f"{place} {name}", row[name], pair[name])
        for name in ("statement", "proof"):
            check_side(place, row, name, pair[name])
    if csv_path:
        rows = pandas.read_csv(csv_path, index_col=0, keep_default_na=False)
        check("columns of the csv", list(rows.columns), ["theory", "proof", "meta"])
        check("theory", list(rows["theory"]), list(table["statement"]))
        check("proof", list(rows["proof"]), list(table["proof"]))
        with open(csv_path, encoding="utf-8", newline="") as file:
            check("csv as pandas writes it", file.read(), rows.to_csv())
    if copy_path:
        table.to_parquet(copy_path, engine="pyarrow", compression="zstd")
        table.to_parquet(copy_path + ".snappy", engine="pyarrow", compression="snappy")
    print(len(table))


if __name__ == "__main__":
    main(*sys.argv[1:])

"""Linear assignment with `lap` (LAP-JV, LAP-MOD) and scipy, on instances that matchbook reads from `--dump`.

A dense instance is N x N costs (f64, row by row): `random` is uniform, `diagonal` is normal with a better diagonal,
`integer` and `ties` are whole costs below 100 and below 5, `geometric` distances of points, `product` a number per row times
one per column. A sparse one keeps the 500 best of 18,408 columns per row (u32 columns, then f64 costs): `diagonal` has one good column for each row,
`hubby` also has columns that are good for every row. `given N FILE` solves an instance that matchbook wrote: where its N rows
start and their columns (u32), then costs (f64); dense if all edges are there.
"""

import argparse
import json
import math
import time

import lap
import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csr_array
from scipy.sparse.csgraph import min_weight_full_bipartite_matching

ROWS, KEPT, DIMENSION, BLOCK = 18_408, 500, 64, 1_024


def dense_costs(size, kind):
    rng = np.random.default_rng(20)
    if kind == "random":
        return rng.random((size, size))
    if kind in ("integer", "ties"):
        return rng.integers(0, 100 if kind == "integer" else 5, (size, size)).astype(float)
    if kind == "geometric":
        rows, columns = rng.random((2, size, 2))
        return np.sqrt(((rows[:, None] - columns[None]) ** 2).sum(axis=-1))
    if kind == "product":
        return np.outer(rng.random(size), rng.random(size))
    return -(rng.standard_normal((size, size)) + 3.0 * np.eye(size))


def sparse_costs(kind):
    rng = np.random.default_rng(21)
    columns = rng.standard_normal((ROWS, DIMENSION), dtype=np.float32)
    rows = 0.35 * columns + rng.standard_normal((ROWS, DIMENSION), dtype=np.float32)
    rows /= math.sqrt(DIMENSION)
    popularity = np.minimum(0.25 * rng.pareto(1.5, ROWS), 6.0) if kind == "hubby" else np.zeros(ROWS)
    indices, scores = [], []
    for start in range(0, ROWS, BLOCK):
        block = rows[start : start + BLOCK] @ columns.T + popularity.astype(np.float32)
        best = np.argpartition(block, ROWS - KEPT, axis=1)[:, -KEPT:]
        best.sort(axis=1)
        indices.append(best.astype(np.uint32))
        scores.append(np.take_along_axis(block, best, axis=1).astype(np.float64))
    scores = np.concatenate(scores)
    return np.concatenate(indices), scores.max() - scores


def measure(solve):
    """The shortest time of `solve`, which is repeated for 50 ms, as matchbook does."""
    first, shortest = time.perf_counter(), math.inf
    while True:
        started = time.perf_counter()
        try:
            cost = float(solve())
        except ValueError:  # scipy's answer to an infeasible instance
            cost = math.inf
        ended = time.perf_counter()
        shortest = min(shortest, ended - started)
        if ended - first >= 0.05:
            return {"seconds": shortest, "cost": cost if math.isfinite(cost) else None}


def solve_dense(costs):
    return {
        "lapjv": measure(lambda: lap.lapjv(costs)[0]),
        "scipy": measure(lambda: costs[linear_sum_assignment(costs)].sum()),
    }


def solve_sparse(starts, columns, costs):
    size = len(starts) - 1
    starts, columns = starts.astype(np.int32), columns.astype(np.int32)

    def scipy_cost():
        # scipy treats a stored zero as a missing edge, so all costs are shifted by one
        graph = csr_array((costs + 1.0, columns, starts), shape=(size, size))
        matched_rows, matched_columns = min_weight_full_bipartite_matching(graph)
        return graph.tocsr()[matched_rows, matched_columns].sum() - size

    return {
        "lapmod": measure(lambda: lap.lapmod(size, costs, starts, columns)[0]),
        "scipy": measure(scipy_cost),
    }


def solve_given(size, path):
    words = np.fromfile(path, dtype=np.uint32)
    starts = words[: size + 1]
    edges = int(starts[-1])
    columns = words[size + 1 : size + 1 + edges]
    costs = np.fromfile(path, dtype=np.float64, offset=4 * (size + 1 + edges))
    if edges == size * size:
        return solve_dense(costs.reshape(size, size))
    return solve_sparse(starts, columns, costs)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    shapes = parser.add_subparsers(dest="shape", required=True)
    dense = shapes.add_parser("dense")
    dense.add_argument("size", type=int)
    dense.add_argument("kind", choices=["random", "diagonal", "integer", "ties", "geometric", "product"])
    sparse = shapes.add_parser("sparse")
    sparse.add_argument("kind", choices=["diagonal", "hubby"])
    for shape in (dense, sparse):
        shape.add_argument("--dump")
    given = shapes.add_parser("given")
    given.add_argument("size", type=int)
    given.add_argument("file")
    options = parser.parse_args()
    if options.shape == "given":
        print(json.dumps(solve_given(options.size, options.file)))
        return
    arrays = (dense_costs(options.size, options.kind),) if options.shape == "dense" else sparse_costs(options.kind)
    if options.dump:
        with open(options.dump, "wb") as out:
            for array in arrays:
                array.tofile(out)
    if options.shape == "dense":
        print(json.dumps(solve_dense(*arrays)))
    else:
        columns, costs = arrays
        starts = np.arange(0, columns.size + 1, KEPT)
        print(json.dumps(solve_sparse(starts, columns.reshape(-1), costs.reshape(-1))))


if __name__ == "__main__":
    main()

"""Exact search with scikit-learn (sparse vectors) and FAISS (dense vectors) in vectors that `matchbook bench find` wrote."""

import argparse
import json
import pathlib
import statistics
import time

import faiss
import numpy as np
from scipy.sparse import csc_matrix, csr_matrix
from sklearn.neighbors import NearestNeighbors

BEST = 10


def timed(searches):
    """The median time of a search, and the ten best of each."""
    times, best = [], []
    for search in searches:
        started = time.perf_counter()
        found = search()
        times.append(time.perf_counter() - started)
        best.append([int(one) for one in found])
    return statistics.median(times), best


def sparse(folder, pairs):
    read = lambda name, kind: np.fromfile(folder / name, dtype=kind)
    starts = read("sparse.starts", np.uint64).astype(np.int64)
    shape = (pairs, len(starts) - 1)
    data = read("sparse.weights", np.float32), read("sparse.columns", np.uint32).astype(np.int32), starts
    proofs = csc_matrix(data, shape=shape).tocsr()
    query_starts = read("queries.starts", np.uint64).astype(np.int64)
    query_data = read("queries.weights", np.float32), read("queries.terms", np.uint32).astype(np.int32), query_starts
    queries = csr_matrix(query_data, shape=(len(query_starts) - 1, shape[1]))
    model = NearestNeighbors(n_neighbors=BEST, algorithm="brute", metric="cosine").fit(proofs)
    search = lambda row: lambda: model.kneighbors(queries[row], return_distance=False)[0]
    return timed(search(row) for row in range(queries.shape[0]))


def dense(folder, pairs):
    proofs = np.fromfile(folder / "dense.proofs", dtype=np.float32).reshape(pairs, -1)
    queries = np.fromfile(folder / "dense.queries", dtype=np.float32).reshape(-1, proofs.shape[1])
    index = faiss.IndexFlatIP(proofs.shape[1])
    index.add(proofs)
    search = lambda row: lambda: index.search(queries[row : row + 1], BEST)[1][0]
    return timed(search(row) for row in range(len(queries)))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    faiss.omp_set_num_threads(options.threads)
    pairs = int((options.folder / "pairs").read_text())
    answer = {}
    if (options.folder / "sparse.starts").exists():
        answer["sparse"], answer["sparse_best"] = sparse(options.folder, pairs)
    answer["dense"], answer["dense_best"] = dense(options.folder, pairs)
    print(json.dumps(answer))


if __name__ == "__main__":
    main()

"""Optimal values of assignment problems, by lap and by scipy.

    python solve_assignments.py PROBLEMS.json

A problem has rows, columns and either costs (row by row) or starts, targets and costs (sparse rows). Prints one
JSON list with, for each problem, the optimal cost that each solver finds (null: it finds none).
"""
import json
import sys

import lap
import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import min_weight_full_bipartite_matching


def dense(problem):
    costs = np.array(problem["costs"], dtype=float).reshape(problem["rows"], problem["columns"])
    rows, columns = linear_sum_assignment(costs)
    chosen = lap.lapjv(costs, extend_cost=True)[1]
    matched = [(row, column) for row, column in enumerate(chosen) if column >= 0]
    return {"scipy": costs[rows, columns].sum(), "lap": sum(costs[pair] for pair in matched)}


def sparse(problem):
    shape = (problem["rows"], problem["columns"])
    starts, targets = np.array(problem["starts"]), np.array(problem["targets"])
    costs = np.array(problem["costs"], dtype=float)
    # A cost of zero is no edge to scipy.
    shift = 1.0 - costs.min()
    graph = csr_matrix((costs + shift, targets, starts), shape=shape)
    try:
        rows, columns = min_weight_full_bipartite_matching(graph)
        found = {"scipy": graph[rows, columns].sum() - shift * len(rows)}
    except ValueError:
        found = {"scipy": None}
    if shape[0] == shape[1] and found["scipy"] is not None:
        found["lap"] = lap.lapmod(shape[0], costs, starts.astype(np.int32), targets.astype(np.int32))[0]
    return found


problems = json.load(open(sys.argv[1]))
answers = [sparse(problem) if "starts" in problem else dense(problem) for problem in problems]
print(json.dumps([{name: None if cost is None else float(cost) for name, cost in found.items()} for found in answers]))

"""Ranks and the 500 best of N bilinear scores per statement in PyTorch.

`product` is one matrix product per block of rows with `topk`. `loop` is what the reference program does, one
`nn.Bilinear` call per statement over the statement repeated N times; it is timed on a few rows and extrapolated.
"""

import argparse
import json
import time

import torch
from torch import nn

BLOCK = 512
BEST = 500


def by_product(statements, proofs, bilinear):
    projected = statements @ bilinear.weight[0]
    reciprocal = 0.0
    for start in range(0, len(statements), BLOCK):
        scores = projected[start : start + BLOCK] @ proofs.T + bilinear.bias
        own = scores.diagonal(start).unsqueeze(1)
        reciprocal += (scores >= own).sum(dim=1).float().reciprocal().sum().item()
        scores.topk(min(BEST, len(proofs)), dim=1)
    return reciprocal / len(statements)


def by_loop(statements, proofs, bilinear, rows):
    for row in range(rows):
        scores = bilinear(statements[row].expand(len(proofs), -1).contiguous(), proofs)
        (scores >= scores[row]).sum().item()


def seconds(work):
    started = time.perf_counter()
    result = work()
    return time.perf_counter() - started, result


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=18_408)
    parser.add_argument("--width", type=int, default=300)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--loop-rows", type=int, default=3)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(0)
    proofs = torch.randn(options.n, options.width)
    statements = 0.3 * proofs + torch.randn_like(proofs)
    bilinear = nn.Bilinear(options.width, options.width, 1)
    with torch.inference_mode():
        product, mrr = seconds(lambda: by_product(statements, proofs, bilinear))
        loop, _ = seconds(lambda: by_loop(statements, proofs, bilinear, options.loop_rows))
    print(json.dumps({"product": product, "loop": loop * options.n / options.loop_rows, "mrr": mrr}))


if __name__ == "__main__":
    main()

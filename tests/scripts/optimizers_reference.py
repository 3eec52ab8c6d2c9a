"""ASGD, AdamW, SparseAdam and SGD of PyTorch, several steps on a small table, as JSON.

    python optimizers_reference.py OUT.json [--seed 1]

`words` has a gradient in some rows only, `dense` everywhere. The learning rate is multiplied by 0.5 after
step 4, as a schedule would. src/train/optimizer/tests.rs compares; the file in tests/fixtures/train was made with --seed 1.
"""
import argparse
import json

import torch

ROWS, WIDTH, DENSE, STEPS = 6, 4, 5, 9
USED = [[1, 2], [1], [4, 2], [3], [1, 5], [2], [2, 3, 4], [5], [1]]
RATE, DECAY_AT, FACTOR = 0.3, 4, 0.5


def optimizers(words, dense):
    """Name, and the optimizers of both parameters."""
    yield "asgd", [torch.optim.ASGD([words, dense], lr=RATE, lambd=1e-2, alpha=0.75, t0=3)]
    yield "adamw", [
        # SparseAdam adds eps before the bias is corrected and AdamW after it; without eps they are the same.
        torch.optim.SparseAdam([words], lr=RATE, eps=1e-15),
        torch.optim.AdamW([dense], lr=RATE, weight_decay=0.1),
    ]
    yield "sgd", [torch.optim.SGD([words, dense], lr=RATE, weight_decay=0.1)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    torch.manual_seed(arguments.seed)
    start = [torch.randn(ROWS, WIDTH), torch.randn(DENSE)]
    start[0][0] = 0
    gradients = []
    for rows in USED[:STEPS]:
        table = torch.zeros(ROWS, WIDTH)
        table[rows] = torch.randn(len(rows), WIDTH)
        gradients.append((table, torch.randn(DENSE)))
    answer = {
        "width": WIDTH,
        "rate": RATE,
        "decay_at": DECAY_AT,
        "factor": FACTOR,
        "words": start[0].flatten().tolist(),
        "dense": start[1].tolist(),
        "steps": [
            {"rows": rows, "words": table[rows].flatten().tolist(), "dense": dense.tolist()}
            for rows, (table, dense) in zip(USED, gradients)
        ],
    }
    for name in ["asgd", "adamw", "sgd"]:
        words, dense = [each.clone().requires_grad_() for each in start]
        used = dict(optimizers(words, dense))[name]
        after = []
        for step, (table, flat) in enumerate(gradients):
            if step == DECAY_AT:
                for each in used:
                    for group in each.param_groups:
                        group["lr"] *= FACTOR
            words.grad = table.to_sparse(1) if name == "adamw" else table.clone()
            dense.grad = flat.clone()
            for each in used:
                each.step()
            state = {"words": words.detach().flatten().tolist(), "dense": dense.detach().tolist()}
            if name == "asgd":
                state["average_words"] = used[0].state[words]["ax"].flatten().tolist()
                state["average_dense"] = used[0].state[dense]["ax"].tolist()
            after.append(state)
        answer[name] = after
    with open(arguments.out, "w") as out:
        json.dump(answer, out)


main()

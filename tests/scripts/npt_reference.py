"""The NPT encoder, the bilinear score and the local loss in PyTorch, on a small batch.

    python npt_reference.py OUT.safetensors [--seed 1]

Writes weights under the names that matchbook uses, the documents (tokens, lengths), and what PyTorch makes
of them: vectors, scores, loss, `gradient.NAME` for every weight, and `asgd.NAME`, the weights after one step
of torch.optim.ASGD. tests/model.rs compares; the file in tests/fixtures/model was made with --seed 1.
"""
import argparse
import json

import numpy as np
import torch
import torch.nn.functional as F
from safetensors.torch import save_file

SHAPE = dict(vocabulary=30, width=12, layers=2, heads=2, key=5, value=7, feed_forward=9, dropout=0.1, positions=25)
LENGTHS = [3, 17, 1, 25, 8, 12, 25, 2]
RATE = 5e-3


def draw(shape, seed):
    """Named weights, drawn plainly: the start of training is tested elsewhere."""
    torch.manual_seed(seed)
    width, keys, values = shape["width"], shape["heads"] * shape["key"], shape["heads"] * shape["value"]
    inner, weights = shape["feed_forward"], {}

    def linear(name, rows, columns):
        weights[name + ".weight"] = torch.randn(rows, columns) / columns**0.5
        weights[name + ".bias"] = torch.randn(rows) / 4

    def norm(name):
        weights[name + ".weight"] = 1 + torch.randn(width) / 5
        weights[name + ".bias"] = torch.randn(width) / 5

    weights["words.weight"] = torch.randn(shape["vocabulary"], width)
    weights["words.weight"][0] = 0
    for layer in range(shape["layers"]):
        at = f"layers.{layer}."
        linear(at + "attention.query", keys, width)
        linear(at + "attention.key", keys, width)
        linear(at + "attention.value", values, width)
        linear(at + "attention.out", width, values)
        norm(at + "attention.norm")
        linear(at + "feed.up", inner, width)
        linear(at + "feed.down", width, inner)
        norm(at + "feed.norm")
    weights["score.weight"] = torch.randn(width, width) / width**0.5
    weights["score.bias"] = torch.randn(1)
    return {name: tensor.requires_grad_() for name, tensor in weights.items()}


def sinusoids(rows, width):
    place = np.arange(1, rows + 1)[:, None]
    angle = place / np.power(10000.0, 2 * (np.arange(width)[None] // 2) / width)
    table = np.where(np.arange(width) % 2 == 0, np.sin(angle), np.cos(angle))
    return torch.tensor(table, dtype=torch.float32)


def linear(weights, name, x):
    return F.linear(x, weights[name + ".weight"], weights[name + ".bias"])


def norm(weights, name, x):
    return F.layer_norm(x, x.shape[-1:], weights[name + ".weight"], weights[name + ".bias"])


def encode(shape, weights, tokens):
    """One document, so that there is nothing to mask; no dropout."""
    x = weights["words.weight"][tokens] + sinusoids(len(tokens), shape["width"])
    for layer in range(shape["layers"]):
        at = f"layers.{layer}."
        q, k, v = (
            linear(weights, at + "attention." + part, x).view(len(tokens), shape["heads"], -1).transpose(0, 1)
            for part in ("query", "key", "value")
        )
        mixed = torch.softmax(q @ k.transpose(1, 2) / shape["key"] ** 0.5, dim=-1) @ v
        mixed = mixed.transpose(0, 1).reshape(len(tokens), -1)
        x = norm(weights, at + "attention.norm", linear(weights, at + "attention.out", mixed) + x)
        y = linear(weights, at + "feed.down", F.relu(linear(weights, at + "feed.up", x)))
        x = norm(weights, at + "feed.norm", y + x)
    return x.max(dim=0)[0]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    weights = draw(SHAPE, given.seed)
    found = {name: tensor.detach().clone() for name, tensor in weights.items()}
    tokens = torch.randint(1, SHAPE["vocabulary"], (sum(LENGTHS),))
    found["tokens"] = tokens.to(torch.int32)
    found["lengths"] = torch.tensor(LENGTHS, dtype=torch.int32)
    vectors = torch.stack([encode(SHAPE, weights, document) for document in tokens.split(LENGTHS)])
    statements, proofs = vectors.split(len(LENGTHS) // 2)
    scores = F.bilinear(
        statements.repeat_interleave(len(proofs), 0),
        proofs.repeat(len(statements), 1),
        weights["score.weight"][None],
        weights["score.bias"],
    ).view(len(statements), len(proofs))
    loss = F.cross_entropy(scores, torch.arange(len(statements)))
    optimiser = torch.optim.ASGD(list(weights.values()), lr=RATE, t0=10000, weight_decay=0)
    loss.backward()
    found |= dict(vectors=vectors.detach(), scores=scores.detach(), loss=loss.detach()[None])
    found |= {"gradient." + name: tensor.grad.clone() for name, tensor in weights.items()}
    optimiser.step()
    found |= {"asgd." + name: tensor.detach().clone() for name, tensor in weights.items()}
    save_file({name: tensor.contiguous() for name, tensor in found.items()}, given.out, {"matchbook.npt": json.dumps(SHAPE)})


if __name__ == "__main__":
    main()

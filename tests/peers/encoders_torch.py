"""Training steps and encoding of the paper's NPT and of BERT in PyTorch.

    encoders_torch.py write-batches FILE    the batches that both programs use
    encoders_torch.py serve                 one task per line of standard input, answered with seconds
    encoders_torch.py TASK [--rounds N]     one task, as JSON

Tasks: `npt` pads a batch to its longest document and scores with `nn.Bilinear` over all repeated pairs, as the reference program
does. `npt-buckets` is PyTorch at its best: documents in groups of similar length, fused attention, scores as one product.
`npt-encode`, `bert`, `bert-encode`, `bert-small`, `bert-small-encode`. The suffix `-bf16` runs a task under bfloat16 autocast.
"""

import argparse
import contextlib
import json
import statistics
import sys
import time

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

VOCABULARY = 50_000
PAIRS = 60
BATCHES = 24
DIMENSION, HEADS, HEAD_DIMENSION, FEED_FORWARD, LAYERS, MAX_LENGTH = 300, 4, 128, 300, 2, 200
DROPOUT = 0.1
GROUP = 15


def draw_batches():
    """Lengths with the paper's mean and deviation, cut to 20..200; token ids by Zipf's law. Ids 0 to 3 are special tokens."""
    rng = np.random.default_rng(2022)
    rank = np.arange(1, VOCABULARY - 3)
    probability = (1 / rank) / (1 / rank).sum()
    for _ in range(BATCHES):
        mean_and_deviation = [(80, 57)] * PAIRS + [(210, 127)] * PAIRS
        lengths = [int(np.clip(rng.normal(mean, deviation), 20, MAX_LENGTH)) for mean, deviation in mean_and_deviation]
        yield [rng.choice(rank, size=length, p=probability) + 3 for length in lengths]


def write_batches(path):
    """Little-endian u32: the number of batches, then for each its lengths and its token ids."""
    batches = list(draw_batches())
    with open(path, "wb") as out:
        np.array([len(batches)], dtype="<u4").tofile(out)
        for documents in batches:
            np.array([len(document) for document in documents], dtype="<u4").tofile(out)
            np.concatenate(documents).astype("<u4").tofile(out)


def sinusoidal_positions():
    position = torch.arange(MAX_LENGTH).unsqueeze(1)
    frequency = torch.exp(torch.arange(0, DIMENSION, 2) * (-np.log(10_000.0) / DIMENSION))
    table = torch.empty(MAX_LENGTH, DIMENSION)
    table[:, 0::2], table[:, 1::2] = torch.sin(position * frequency), torch.cos(position * frequency)
    return table


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(DIMENSION, 3 * HEADS * HEAD_DIMENSION)
        self.output = nn.Linear(HEADS * HEAD_DIMENSION, DIMENSION)
        self.attention_norm = nn.LayerNorm(DIMENSION)
        self.up, self.down = nn.Linear(DIMENSION, FEED_FORWARD), nn.Linear(FEED_FORWARD, DIMENSION)
        self.feed_forward_norm = nn.LayerNorm(DIMENSION)

    def forward(self, hidden, keep, fused):
        batch, length, _ = hidden.shape
        split = self.project(hidden).view(batch, length, 3, HEADS, HEAD_DIMENSION).permute(2, 0, 3, 1, 4)
        query, key, value = split.unbind(0)
        mask = keep[:, None, None, :]
        dropout = DROPOUT if self.training else 0.0
        if fused:
            context = F.scaled_dot_product_attention(query, key, value, attn_mask=mask, dropout_p=dropout)
        else:
            scores = (query @ key.transpose(-1, -2)) / HEAD_DIMENSION**0.5
            weights = F.dropout(scores.masked_fill(~mask, float("-inf")).softmax(-1), dropout)
            context = weights @ value
        context = context.transpose(1, 2).reshape(batch, length, -1)
        hidden = self.attention_norm(F.dropout(self.output(context), dropout) + hidden)
        inner = self.down(F.relu(self.up(hidden)))
        return self.feed_forward_norm(F.dropout(inner, dropout) + hidden)


class Npt(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, DIMENSION, padding_idx=0)
        self.register_buffer("positions", sinusoidal_positions())
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.score = nn.Bilinear(DIMENSION, DIMENSION, 1)

    def forward(self, documents, fused=True):
        ids = nn.utils.rnn.pad_sequence(documents, batch_first=True)
        keep = ids != 0
        hidden = self.embedding(ids) + self.positions[: ids.shape[1]]
        for layer in self.layers:
            hidden = layer(hidden, keep, fused) * keep.unsqueeze(-1)
        return hidden.amax(dim=1)

    def by_length(self, documents, group):
        """Vectors in the order of `documents`, encoded in groups of similar length."""
        order = sorted(range(len(documents)), key=lambda index: len(documents[index]))
        parts = [self([documents[index] for index in order[at : at + group]]) for at in range(0, len(order), group)]
        return torch.cat(parts)[torch.tensor(order).argsort()]


class NptTasks:
    def __init__(self):
        torch.manual_seed(0)
        self.model = Npt()
        self.optimizer = torch.optim.ASGD(self.model.parameters(), lr=5e-3, t0=10_000, weight_decay=0)
        self.batches = [[torch.from_numpy(document) for document in batch] for batch in draw_batches()]
        self.used = 0

    def batch(self):
        self.used += 1
        return self.batches[self.used % BATCHES]

    def step(self, scores):
        self.optimizer.zero_grad()
        F.cross_entropy(scores, torch.arange(PAIRS)).backward()
        self.optimizer.step()

    def npt(self):
        self.model.train()
        statements, proofs = self.model(self.batch(), fused=False).split(PAIRS)
        repeated = statements.repeat_interleave(PAIRS, dim=0), proofs.repeat(PAIRS, 1)
        self.step(self.model.score(*repeated).view(PAIRS, PAIRS))

    def npt_buckets(self):
        self.model.train()
        statements, proofs = self.model.by_length(self.batch(), GROUP).split(PAIRS)
        self.step(statements @ self.model.score.weight[0] @ proofs.T + self.model.score.bias)

    def npt_encode(self):
        self.model.eval()
        with torch.inference_mode():
            self.model.by_length(self.batch() + self.batch(), 24)


class BertTasks:
    """16 statements and 16 proofs of 200 tokens; the pooled `[CLS]` vectors are scored by one matrix."""

    def __init__(self, **sizes):
        from transformers import BertConfig, BertModel

        torch.manual_seed(0)
        self.model = BertModel(BertConfig(**sizes))
        dimension = self.model.config.hidden_size
        self.score = nn.Parameter(0.02 * torch.randn(dimension, dimension))
        parameters = [*self.model.parameters(), self.score]
        self.optimizer = torch.optim.ASGD(parameters, lr=2e-3, t0=10_000, weight_decay=0)

    def vectors(self):
        return self.model(input_ids=torch.randint(5, 30_000, (32, MAX_LENGTH))).pooler_output

    def train(self):
        self.model.train()
        self.optimizer.zero_grad()
        statements, proofs = self.vectors().split(16)
        F.cross_entropy(statements @ self.score @ proofs.T, torch.arange(16)).backward()
        self.optimizer.step()

    def encode(self):
        self.model.eval()
        with torch.inference_mode():
            self.vectors()


SMALL = {"hidden_size": 256, "num_hidden_layers": 4, "num_attention_heads": 4, "intermediate_size": 1_024}
MODELS = {"npt": NptTasks, "bert": BertTasks, "bert-small": lambda: BertTasks(**SMALL)}


class Runner:
    def __init__(self):
        self.models = {}

    def model(self, name):
        if name not in self.models:
            self.models[name] = MODELS[name]()
        return self.models[name]

    def seconds(self, task):
        name = task.removesuffix("-bf16")
        if name.startswith("npt"):
            work = getattr(self.model("npt"), name.replace("-", "_"))
        else:
            model = self.model(name.removesuffix("-encode"))
            work = model.encode if name.endswith("-encode") else model.train
        low = torch.autocast("cpu", torch.bfloat16) if task != name else contextlib.nullcontext()
        started = time.perf_counter()
        with low:
            work()
        return time.perf_counter() - started


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("task")
    parser.add_argument("file", nargs="?")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    runner = Runner()
    if options.task == "write-batches":
        write_batches(options.file)
    elif options.task == "serve":
        for line in sys.stdin:
            print(runner.seconds(line.strip()), flush=True)
    else:
        runner.seconds(options.task)
        rounds = [runner.seconds(options.task) for _ in range(options.rounds)]
        print(json.dumps({"task": options.task, "best": min(rounds), "median": statistics.median(rounds)}))


if __name__ == "__main__":
    main()

"""A BERT in Python's transformers, for tests/bert.rs.

    python bert_reference.py record FOLDER    writes the fixtures: two tiny models and what they compute
    python bert_reference.py open FOLDER      opens a folder of ours with AutoModel and AutoTokenizer, reads lines
                                              from standard input and answers with a JSON object: the numbers of
                                              each line, and the pooled vectors of all of them
    python bert_reference.py guess FOLDER     opens it with AutoModelForMaskedLM, reads a JSON object with `tokens` and
                                              `labels` (-100 where nothing is asked) and answers with the loss
"""
import json
import pathlib
import sys

import torch
from transformers import AutoModel, AutoModelForMaskedLM, AutoTokenizer, BertConfig, BertForMaskedLM, BertModel

LENGTHS = [12, 1, 7, 12, 5]


def texts():
    generator = torch.Generator().manual_seed(5)
    return [torch.randint(0, 60, (length,), generator=generator).tolist() for length in LENGTHS]


def padded(rows, fill=0):
    longest = max(map(len, rows))
    tokens = torch.tensor([row + [fill] * (longest - len(row)) for row in rows])
    mask = torch.tensor([[1] * len(row) + [0] * (longest - len(row)) for row in rows])
    return tokens, mask


def spread(model):
    """Weights as large as trained ones, and norms that are not the identity."""
    generator = torch.Generator().manual_seed(7)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            noise = torch.randn(parameter.shape, generator=generator)
            parameter.copy_(1 + 0.2 * noise if "LayerNorm.weight" in name else 0.3 * noise)


def record(folder):
    config = BertConfig(
        vocab_size=60, hidden_size=24, num_hidden_layers=2, num_attention_heads=3, intermediate_size=40,
        max_position_embeddings=20,
    )
    torch.manual_seed(1)
    rows = texts()
    tokens, mask = padded(rows)

    model = BertModel(config).eval()
    spread(model)
    model.save_pretrained(folder / "encoder", safe_serialization=True)
    with torch.no_grad():
        out = model(input_ids=tokens, attention_mask=mask)
    hidden = [out.last_hidden_state[index, : len(row)].flatten().tolist() for index, row in enumerate(rows)]
    pooled = out.pooler_output.flatten().tolist()

    # an old file: a pickle, the prefix, no pooler, and the names that TensorFlow's checkpoints have
    guesser = BertForMaskedLM(config).eval()
    spread(guesser)
    labels = [[token if place % 3 == 1 else -100 for place, token in enumerate(row)] for row in rows]
    with torch.no_grad():
        loss = guesser(input_ids=tokens, attention_mask=mask, labels=padded(labels, -100)[0]).loss.item()
    old = folder / "guesser"
    old.mkdir(parents=True, exist_ok=True)
    config.save_pretrained(old)
    state = {
        name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta"): value
        for name, value in guesser.state_dict().items()
        if "decoder" not in name and "position_ids" not in name
    }
    torch.save(state, old / "pytorch_model.bin")

    answer = dict(tokens=rows, hidden=hidden, pooled=pooled, labels=labels, loss=loss)
    (folder / "expected.json").write_text(json.dumps(answer))


def open_ours(folder):
    lines = [line.rstrip("\n") for line in sys.stdin]
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder).eval()
    numbers = [tokenizer(line, truncation=True, max_length=200)["input_ids"] for line in lines]
    pooled = []
    with torch.no_grad():
        for row in numbers[:8]:
            pooled.append(model(input_ids=torch.tensor([row])).pooler_output[0].tolist())
    print(json.dumps(dict(numbers=numbers, pooled=pooled)))


def guess_ours(folder):
    given = json.load(sys.stdin)
    model = AutoModelForMaskedLM.from_pretrained(folder).eval()
    tokens, mask = padded(given["tokens"])
    with torch.no_grad():
        loss = model(input_ids=tokens, attention_mask=mask, labels=padded(given["labels"], -100)[0]).loss.item()
    print(json.dumps(dict(loss=loss)))


if __name__ == "__main__":
    what, where = sys.argv[1], pathlib.Path(sys.argv[2])
    dict(record=record, open=open_ours, guess=guess_ours)[what](where)

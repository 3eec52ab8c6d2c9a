"""What Python's `lime` itself costs: one text of 280 words, 95 of them distinct, with a scorer whose time is subtracted."""

import argparse
import json
import math
import random
import statistics
import time

import numpy as np
from lime.lime_text import LimeTextExplainer

EVIDENCE = {"module": 2.0, "supplement": 1.5, "local": 1.0, "we": -1.0, "therefore": -0.5}


class Scorer:
    """Logistic regression on five words, with a clock."""

    def __init__(self):
        self.seconds = 0.0

    def __call__(self, texts):
        started = time.perf_counter()
        rows = []
        for text in texts:
            present = set(text.split())
            match = 1.0 / (1.0 + math.exp(-sum(weight for word, weight in EVIDENCE.items() if word in present)))
            rows.append((1.0 - match, match))
        self.seconds += time.perf_counter() - started
        return np.array(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=1_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    words = [*EVIDENCE, *(f"word{number}" for number in range(90))]
    words += random.Random(0).choices(words, k=280 - len(words))
    own = []
    for seed in range(options.rounds):
        scorer = Scorer()
        started = time.perf_counter()
        explainer = LimeTextExplainer(random_state=seed)
        explainer.explain_instance(" ".join(words), scorer, num_samples=options.samples)
        own.append(time.perf_counter() - started - scorer.seconds)
    print(json.dumps({"own": statistics.median(own)}))


if __name__ == "__main__":
    main()

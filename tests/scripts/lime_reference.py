"""Python lime on a scorer that is written twice, here and in tests/explain.rs.

    python lime_reference.py PAIR.json

Reads JSON with `words`, `weights` (word to weight), `samples`, `features` and `seeds`; prints JSON with one object
a seed: `weights` (word to weight), `r_squared`, `intercept`, `prediction`.
"""
import json
import sys

import numpy as np
from lime.lime_text import LimeTextExplainer


def main():
    given = json.load(open(sys.argv[1], encoding="utf-8"))
    weights = given["weights"]

    def probabilities(texts):
        found = [set(text.split()) for text in texts]
        odds = np.array([sum(weight for word, weight in weights.items() if word in words) for words in found])
        match = 1 / (1 + np.exp(-odds))
        return np.stack([1 - match, match], axis=1)

    answers = []
    for seed in given["seeds"]:
        explainer = LimeTextExplainer(random_state=seed)
        found = explainer.explain_instance(
            " ".join(given["words"]), probabilities, num_features=given["features"], num_samples=given["samples"]
        )
        answers.append(
            {
                "weights": dict(found.as_list()),
                "r_squared": float(found.score),
                "intercept": float(found.intercept[1]),
                "prediction": float(found.local_pred[0]),
            }
        )
    json.dump(answers, sys.stdout)


if __name__ == "__main__":
    main()

"""TF-IDF cosines by scikit-learn, for comparison with ours.

    python tfidf.py FILE

FILE is JSON with `statements` and `proofs` (texts), and `tokens`: `reference` for the vectorizer's own pattern,
`lines` for texts whose tokens are lines. Prints the matrix as JSON, statements by proofs.
"""
import json
import sys

from sklearn.feature_extraction.text import TfidfVectorizer

with open(sys.argv[1], encoding="utf-8") as file:
    given = json.load(file)
if given["tokens"] == "lines":
    vectorizer = TfidfVectorizer(analyzer=lambda text: text.split("\n")[:-1])
else:
    vectorizer = TfidfVectorizer()
vectorizer.fit(given["statements"] + given["proofs"])
left, right = vectorizer.transform(given["statements"]), vectorizer.transform(given["proofs"])
print(json.dumps((left @ right.T).toarray().round(7).tolist()))

"""Reads released MATcH text strictly and prints what it found as one JSON object.

An independent reader: it follows the description of the format and shares nothing with the
program that wrote the file. Only the standard library is needed.

    python3 read_match.py FILE
"""

import json
import sys

SEPARATOR = "_" * 12


def passages(lines):
    """The statement and the proof of a pair: lists of (kind, content)."""
    sides = []
    for line in lines:
        if line == SEPARATOR:
            sides.append([])
            continue
        kind, tab, content = line.partition("\t")
        if kind not in ("text", "math") or not tab or not sides:
            raise ValueError(f"neither a run nor a separator: {line!r}")
        sides[-1].append((kind, content))
    if len(sides) != 2:
        raise ValueError(f"a pair has a statement and a proof, found {len(sides)} sides")
    return sides


def blocks(lines):
    """Groups of lines, each ended by one blank line."""
    block = []
    for line in lines:
        if line == "":
            yield block
            block = []
        else:
            block.append(line)
    if block:
        raise ValueError("the last pair is not closed by a blank line")


def main(path):
    with open(path, encoding="utf-8", newline="\n") as file:
        content = file.read()
    if not content.endswith("\n"):
        raise ValueError("the last line has no end")
    groups = blocks(content[:-1].split("\n"))
    (count,) = next(groups)
    articles = {}
    for line in next(groups):
        identifier, categories, title = line.split("\t")
        articles[identifier] = (categories.split("|"), title)
    if list(articles) != sorted(articles) or len(articles) != int(count):
        raise ValueError("the articles are not sorted, or not as many as the first line says")
    found = {"articles": int(count), "pairs": 0, "text": 0, "math": 0, "anchors": 0}
    for lines in groups:
        article, _, anchor = lines[0].partition("|")
        if article not in articles:
            raise ValueError(f"{article} is not in the article block")
        found["pairs"] += 1
        found["anchors"] += anchor != "None"
        for side in passages(lines[1:]):
            for kind, text in side:
                found[kind] += len(text.split())
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1])

"""Extraction with lxml: parse every article of a folder, apply the pair rule, count tokens.

One process, nothing written. A pair is a `div` with "theorem" in its class whose next sibling element is a `div` with
"proof" in its class; both sides must have 20 to 500 tokens (words, and leaves of presentation MathML).
"""

import json
import sys
import time
from pathlib import Path

from lxml import etree, html

SKIPPED = {"script", "style", "annotation", "annotation-xml"}


def local_name(element):
    if not isinstance(element.tag, str):
        return ""  # a comment or a processing instruction
    return etree.QName(element).localname.rpartition(":")[2]


def has_class(element, word):
    return local_name(element) == "div" and word in element.get("class", "")


def next_element(element):
    for sibling in element.itersiblings():
        if local_name(sibling):
            return sibling
    return None


def count_tokens(element):
    name = local_name(element)
    if not name or name in SKIPPED:
        return 0
    children = list(element)
    if name == "semantics":
        children = children[:1]
    count = len((element.text or "").split())
    for child in children:
        count += count_tokens(child) + len((child.tail or "").split())
    return count


def pairs(root):
    for statement in root.iter("{*}div"):
        proof = next_element(statement) if has_class(statement, "theorem") else None
        if proof is not None and has_class(proof, "proof"):
            yield statement, proof


def parse(path):
    if path.suffix == ".html":
        return html.parse(str(path), html.HTMLParser(encoding="utf-8", huge_tree=True)).getroot()
    parser = etree.XMLParser(huge_tree=True, resolve_entities=False, no_network=True)
    return etree.parse(str(path), parser).getroot()


def main():
    paths = sorted(path for path in Path(sys.argv[1]).rglob("*") if path.suffix in (".html", ".xhtml"))
    started = time.perf_counter()
    found = kept = 0
    for path in paths:
        for sides in pairs(parse(path)):
            found += 1
            kept += all(20 <= count_tokens(side) <= 500 for side in sides)
    seconds = time.perf_counter() - started
    print(json.dumps({"articles": len(paths), "pairs": found, "kept": kept, "seconds": seconds}))


if __name__ == "__main__":
    main()

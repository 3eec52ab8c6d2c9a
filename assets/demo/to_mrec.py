"""Rewrites a LaTeXML XHTML page to the conventions of the MREC corpus (arXMLiv, 2011).

    to_mrec.py PAGE ID CATEGORIES TITLE

Classes lose their ltx_ prefix, MathML gets the prefix m:, fonts become mathvariant attributes, annotations go, a
third of the formulas keep their content MathML only, and a meta element carries id, categories and title.
"""
import sys
import unicodedata
import xml.etree.ElementTree as ET

XHTML = "{http://www.w3.org/1999/xhtml}"
MATHML = "{http://www.w3.org/1998/Math/MathML}"
STYLES = [
    ("DOUBLE-STRUCK", "double-struck"),
    ("BOLD FRAKTUR", "bold-fraktur"),
    ("FRAKTUR", "fraktur"),
    ("BLACK-LETTER", "fraktur"),
    ("BOLD SCRIPT", "bold-script"),
    ("SCRIPT", "script"),
    ("SANS-SERIF", "sans-serif"),
    ("MONOSPACE", "monospace"),
    ("BOLD ITALIC", "bold-italic"),
    ("BOLD", "bold"),
]


def plain_letters(element):
    text = element.text or ""
    if not text.strip():
        return
    names = [unicodedata.name(letter, "") for letter in text if not letter.isspace()]
    if not all(name.startswith(("MATHEMATICAL", "SCRIPT", "DOUBLE-STRUCK", "BLACK-LETTER")) for name in names):
        return
    element.text = unicodedata.normalize("NFKC", text)
    for part, variant in STYLES:
        if part in names[0]:
            element.set("mathvariant", variant)
            return


def rewrite_formula(math, number):
    for name in ("alttext", "class", "id"):
        math.attrib.pop(name, None)
    semantics = math.find(MATHML + "semantics")
    if semantics is not None:
        presentation = semantics[0]
        content = semantics.find(MATHML + "annotation-xml")
        chosen = content[0] if number % 3 == 2 and content is not None and len(content) else presentation
        chosen.tail = None
        math[:] = [chosen]
    for element in math.iter():
        element.attrib.pop("id", None)
        element.attrib.pop("xref", None)
        plain_letters(element)


def main():
    page, identifier, categories, title = sys.argv[1:]
    ET.register_namespace("", XHTML[1:-1])
    ET.register_namespace("m", MATHML[1:-1])
    root = ET.parse(page).getroot()
    for number, math in enumerate(list(root.iter(MATHML + "math"))):
        rewrite_formula(math, number)
    for element in root.iter():
        if "class" in element.attrib:
            words = element.get("class").split()
            words = [word.removeprefix("ltx_theorem_").removeprefix("ltx_") for word in words]
            element.set("class", " ".join(words))
    head = root.find(XHTML + "head")
    for child in list(head):
        if child.tag != XHTML + "title":
            head.remove(child)
    ET.SubElement(head, XHTML + "meta", arxivid=identifier, category=categories, title=title)
    with open(page, "w", encoding="utf-8") as out:
        out.write('<?xml version="1.0" encoding="utf-8"?>\n')
        out.write(ET.tostring(root, encoding="unicode"))
        out.write("\n")


main()

"""Test results as JUnit XML, which CI servers read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree.ElementTree import Element, tostring

_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def element(tag: str, /, *parts: Element | None, text: str = "", **attributes: str) -> Element:
    """An element with what XML may hold of its text and attributes."""
    node = Element(
        tag, {key: _NOT_IN_XML.sub("\ufffd", value) for key, value in attributes.items()}
    )
    node.extend(part for part in parts if part is not None)
    node.text = _NOT_IN_XML.sub("\ufffd", text) or None
    return node


def suite(name: str, cases: Sequence[Element]) -> Element:
    """A suite of test cases, with how many there are, fail and have errors."""
    numbers = {"tests": len(cases), "failures": _having("failure", cases)}
    if errors := _having("error", cases):
        numbers["errors"] = errors
    counts = {kind: str(number) for kind, number in numbers.items()}
    return element("testsuite", *cases, name=name, **counts)


def _having(part: str, cases: Sequence[Element]) -> int:
    return sum(case.find(part) is not None for case in cases)


def document(root: Element) -> str:
    return tostring(root, encoding="unicode", xml_declaration=True)

"""HTML without a template engine: small functions that escape whatever is not HTML already."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

VOID = frozenset({"img", "link", "meta"})
"""Elements without content."""


class Html(str):
    """A piece of HTML, which is not escaped again."""

    __slots__ = ()


def text(value: Any) -> Html:
    """Return a value as HTML; all but `Html` is escaped."""
    return value if isinstance(value, Html) else Html(escape(str(value)))


def join(pieces: Iterable[Any], between: str = "") -> Html:
    """Return pieces one after the other, with text between them."""
    return Html(escape(between).join(text(piece) for piece in pieces))


def element(tag: str, *children: Any, **attributes: Any) -> Html:
    """Return an element; ``class_`` stands for the attribute class, and so on.

    Examples
    --------
    >>> element("p", "a < b", element("b", "c"), class_="note")
    '<p class="note">a &lt; b<b>c</b></p>'
    """
    pairs = [
        f' {name.rstrip("_").replace("_", "-")}="{escape(str(value))}"'
        for name, value in attributes.items()
        if value is not None
    ]
    opening = f"<{tag}{''.join(pairs)}>"
    return Html(opening if tag in VOID else f"{opening}{join(children)}</{tag}>")


def paragraphs(lines: str) -> Html:
    """Return a paragraph per line of a text."""
    return join(element("p", line) for line in lines.splitlines() if line.strip())


def table(head: Sequence[Any], rows: Iterable[Sequence[Any]], class_: str | None = None) -> Html:
    """Return a table that scrolls by itself if it is wider than the page."""
    header = element("tr", *(element("th", cell, scope="col") for cell in head))
    body = [
        element("tr", element("th", first, scope="row"), *(element("td", cell) for cell in rest))
        for first, *rest in rows
    ]
    whole = element("table", element("thead", header), element("tbody", *body), class_=class_)
    return element("div", whole, class_="scroll")


def section(identifier: str, heading: str, *children: Any) -> Html:
    """Return a section with a heading, to which the navigation leads."""
    return element("section", element("h2", heading), *children, id=identifier)


def number(value: float, digits: int = 3) -> str:
    """Return a number for reading: so many significant digits, thousands kept apart."""
    if value != value:  # NaN
        return "–"
    if float(value).is_integer() and abs(value) < 1e15:
        return f"{int(value):,}".replace(",", "\u202f")
    return f"{value:.{digits}g}" if 1e-4 <= abs(value) < 1e6 else f"{value:.2e}"

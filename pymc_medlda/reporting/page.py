"""The page around the sections: style, navigation, and the few lines of script it needs."""

from __future__ import annotations

from collections.abc import Sequence

from pymc_medlda.explanation.coloured import STYLE as STYLE_OF_WORDS
from pymc_medlda.reporting.markup import Html, element, join
from pymc_medlda.reporting.style import STYLE

# A link to a document opens it; a click on a topic marks its words in all documents.
SCRIPT = """
function openTarget() {
  const target = location.hash && document.getElementById(location.hash.slice(1));
  if (target && target.tagName === "DETAILS") { target.open = true; target.scrollIntoView(); }
}
window.addEventListener("hashchange", openTarget);
openTarget();
document.addEventListener("click", (event) => {
  const word = event.target.closest(".w");
  const topic = word && !word.classList.contains("marked") ? word.dataset.topic : null;
  for (const each of document.querySelectorAll(".w")) {
    each.classList.toggle("marked", topic !== null && each.dataset.topic === topic);
  }
});
"""


def build_page(title: str, subtitle: str, sections: Sequence[tuple[str, str, Html]]) -> str:
    """Return the whole page; a section is its identifier, its short name and its HTML."""
    links = [element("a", name, href=f"#{identifier}") for identifier, name, _ in sections]
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("link", rel="icon", href="data:,"),
        element("title", title),
        element("style", Html((STYLE + STYLE_OF_WORDS).strip())),
    )
    body = element(
        "body",
        element("header", element("h1", title), element("p", subtitle)),
        element("nav", *links),
        element("main", join(html for _, _, html in sections)),
        element("footer", "Written by pymc-medlda. This file needs no network."),
        element("script", Html(SCRIPT.strip())),
    )
    return f"<!DOCTYPE html>\n{element('html', head, body, lang='en')}\n"

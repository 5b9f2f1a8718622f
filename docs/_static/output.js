// Printed output holds sentences and tables. Sentences are wrapped, so that none is cut off at the
// right edge. Lines of a table, which have several blanks between words, stay whole and scroll.
document.addEventListener("DOMContentLoaded", () => {
  for (const block of document.querySelectorAll("div.cell_output pre")) {
    if (block.querySelector("a, span:not(:empty)")) continue; // coloured output stays as it is
    const lines = block.textContent.replace(/\n$/, "").split("\n");
    block.replaceChildren(
      ...lines.map((line) => {
        const part = document.createElement("span");
        part.className = /\S {2,}\S/.test(line) ? "table-line" : "sentence-line";
        part.textContent = line + "\n";
        return part;
      }),
    );
  }
});

"""Reports in a real browser: no errors, and nothing wider than the window.

A headless Chromium is used if the system has one. A window narrower than 500 pixels is not to be
had from it, so the page is put into frames of the widths that matter.
"""

import json
import re
import shutil
import subprocess

import pytest

from tests.explanation.runs import RUNS
from tests.reporting.written import TEXTS, calibrated, held_out, hostile, write

BROWSERS = (
    "chromium",
    "chromium-browser",
    "chrome-headless-shell",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
)
BROWSER = next((path for name in BROWSERS if (path := shutil.which(name))), None)
WIDTHS = (1280, 390)
FRAMES = """<!DOCTYPE html><body><pre id="result"></pre><script>
const page = PAGE, found = {};
for (const width of WIDTHS) {
  const frame = document.createElement("iframe");
  frame.style.cssText = `width:${width}px;height:900px;border:0`;
  frame.srcdoc = page;
  frame.onload = () => {
    const inside = frame.contentDocument, root = inside.documentElement;
    for (const part of inside.querySelectorAll("details")) part.open = true;
    const word = inside.querySelector(".w");
    if (word) word.click();
    found[width] = {
      overflow: root.scrollWidth - root.clientWidth,
      sections: inside.querySelectorAll("section").length,
      marked: inside.querySelectorAll(".w.marked").length,
      broken: [...inside.images].filter((image) => !image.naturalWidth).length,
    };
    document.getElementById("result").textContent = JSON.stringify(found);
  };
  document.body.append(frame);
}
</script></body>"""

pytestmark = [
    pytest.mark.skipif(BROWSER is None, reason="no Chromium on this system"),
    pytest.mark.slow,
]


def browse(path, folder):
    """Open a page; return its final HTML and what the browser wrote on its console."""
    done = subprocess.run(
        [
            BROWSER,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--enable-logging=stderr",
            "--virtual-time-budget=10000",
            f"--user-data-dir={folder / 'profile'}",
            "--dump-dom",
            path.as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return done.stdout, re.findall(r".*CONSOLE.*", done.stderr)


def measure(html, folder):
    """Return what was found in frames of each width, after checking that there were no errors."""
    frames = folder / "frames.html"
    page = json.dumps(html).replace("</", "<\\/")
    filled = FRAMES.replace("WIDTHS", json.dumps(WIDTHS)).replace("PAGE", page)
    frames.write_text(filled, encoding="utf-8")
    shown, console = browse(frames, folder)
    assert not console
    return json.loads(re.search('<pre id="result">(.*?)</pre>', shown)[1])


@pytest.mark.parametrize("name", ["labels", "labels with features and offset", "several classes"])
def test_pages_fit_and_raise_no_error(name, tmp_path):
    html = write(RUNS[name](), tmp_path, **held_out(name))
    for found in measure(html, tmp_path).values():
        assert found["overflow"] <= 0
        assert found["sections"] == 8
        assert found["marked"] > 0
        assert found["broken"] == 0


def test_the_file_itself_opens_without_error(tmp_path):
    write(calibrated("binary"), tmp_path, texts=TEXTS)
    shown, console = browse(tmp_path / "report.html", tmp_path)
    assert not console
    assert shown.count("<section") == 8


def test_hostile_names_run_no_code(tmp_path):
    html = write(hostile(), tmp_path, texts=TEXTS)
    for found in measure(html, tmp_path).values():
        assert found["overflow"] <= 0
        assert found["sections"] == 8


def test_what_is_wrong_would_be_found(tmp_path):
    wide = '<section style="width:2000px">x</section>'
    found = measure(f"<!DOCTYPE html><body>{wide}</body>", tmp_path)
    assert all(own["overflow"] > 0 for own in found.values())
    with pytest.raises(AssertionError):
        measure("<!DOCTYPE html><body><script>nothing.there()</script></body>", tmp_path)

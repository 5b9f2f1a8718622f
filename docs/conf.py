"""Sphinx configuration: MyST pages, executed notebooks, and the API read from the docstrings."""

import inspect
import os
import re
from importlib.util import find_spec
from pathlib import Path

import jupytext

import pymc_medlda

HERE = Path(__file__).parent
EXAMPLES = HERE.parent / "examples"
# Class attributes of PyMC's step contract, which users do not need.
CONTRACT = ("default_tune_steps", "stats_dtypes", "stats_dtypes_shapes", "vars")

# MathJax is copied to the pages, so that formulas are drawn without a network. Its package is used
# as a folder only: as an extension it would keep Sphinx from reading pages in parallel.
MATHJAX = Path(find_spec("sphinx-mathjax-offline").origin).parent / "static"

# What a browser fetches when it shows a page.
LOADED = re.compile(
    r"""<(?:script|img|iframe)[^>]*\ssrc=["']https?:[^>]*>|<link[^>]*\shref=["']https?:[^>]*>"""
)

# Notebooks run in processes of their own, which read this setting from the environment.
os.environ.setdefault("PYTHONWARNINGS", "ignore")
# With another backend than that of notebooks there would be no pictures on the pages.
os.environ.pop("MPLBACKEND", None)

project = "pymc-medlda"
author = "The pymc-medlda developers"
copyright = "The pymc-medlda developers"
version = release = pymc_medlda.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx_design",
    "numpydoc",
    "myst_nb",
]
exclude_patterns = ["_build", "_templates"]
templates_path = ["_templates"]
html_theme = "pydata_sphinx_theme"
html_title = "pymc-medlda"
html_static_path = ["_static", str(MATHJAX)]
mathjax_path = "mathjax/tex-chtml.js"
html_css_files = ["narrow.css"]
html_js_files = ["output.js"]
html_show_sourcelink = False
html_theme_options = {
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "header_links_before_dropdown": 5,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
}
# Pages without pages below them have nothing to show there, and need the room for code.
html_sidebars = {
    page: []
    for page in ("index", "installation", "quickstart", "model", "benchmarks", "contributing")
}

myst_enable_extensions = ["dollarmath", "amsmath", "colon_fence", "deflist"]
myst_heading_anchors = 3

nb_execution_mode = "cache"
nb_execution_timeout = 300
nb_execution_raise_on_error = True
# The messages that PyMC logs while it samples are meant for terminals.
nb_output_stderr = "remove"
nb_merge_streams = True

autosummary_generate = True
autodoc_typehints = "none"
autodoc_default_options = {"members": True}
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
default_role = "code"


def write_notebooks() -> None:
    """Turn those percent scripts of ``examples/`` that have changed into notebooks."""
    folder = HERE / "examples"
    folder.mkdir(exist_ok=True)
    for source in EXAMPLES.glob("*.py"):
        target = folder / f"{source.stem}.ipynb"
        if source.name == "demo.py" or (
            target.exists() and target.stat().st_mtime >= source.stat().st_mtime
        ):
            continue
        notebook = jupytext.read(source, fmt="py:percent")
        notebook.metadata["kernelspec"] = {
            "name": "python3",
            "display_name": "Python 3",
            "language": "python",
        }
        jupytext.write(notebook, target)


def skip_inherited(app, what, name, member, skip, options):
    """Leave out members inherited from PyMC or scikit-learn, which document them."""
    if what != "class" or name in CONTRACT:
        return skip or name in CONTRACT
    function = getattr(member, "fget", None) or getattr(member, "func", None) or member
    module = getattr(inspect.unwrap(function), "__module__", None) or ""
    return skip or (bool(module) and not module.startswith("pymc_medlda"))


def spread_pages(app, env, docnames: list[str]) -> None:
    """Mix pages that run code with others: two processes read them, in blocks of this order."""
    docnames[:] = [name for first in range(5) for name in docnames[first::5]]


def check_offline(app, exception) -> None:
    """Raise if a page loads a script, a style or a picture from the network."""
    if exception is not None or app.builder.format != "html":
        return
    for page in Path(app.outdir).rglob("*.html"):
        loaded = LOADED.search(page.read_text(encoding="utf-8"))
        if loaded is not None:
            raise RuntimeError(f"{page.name} cannot be read without a network: {loaded.group()}")


def setup(app) -> None:
    write_notebooks()
    app.connect("autodoc-skip-member", skip_inherited)
    app.connect("env-before-read-docs", spread_pages)
    app.connect("build-finished", check_offline)

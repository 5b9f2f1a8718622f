# make demo   set up and run the main job, on data that needs no download
# make test   set up and run all tests
# make quick  the tests that take less than five seconds each
# make lint, types, docs, build as they say
# make paper  every figure of the paper, up to three hours; make paper QUICK=1 in a few minutes
# make gate   before a commit: lint, types and the quick tests on both generations of PyMC

PYTHON ?= python3
VENV ?= .venv
WORKERS ?= 2
# Further arguments of pytest, to run a part of the tests.
SELECT ?=
# The paper in a few minutes (QUICK=1), and further options of python -m paper.
QUICK ?=
PAPER ?=
BIN := $(VENV)/bin
SET_UP := $(VENV)/.set-up
# A worker that has nothing left to do takes tests from the other.
PYTEST := $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal

.PHONY: demo test quick gate lint types docs examples bench paper build clean set-up

demo: $(SET_UP)
	$(BIN)/python examples/demo.py

test: $(SET_UP)
	$(PYTEST) $(SELECT)

quick: $(SET_UP)
	$(PYTEST) -m "not slow"

gate: lint types quick
	other=$$(.ci/other-python $(BIN)/python) && $(MAKE) quick PYTHON="$$other" VENV=.venv-other

lint: $(SET_UP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: $(SET_UP)
	$(BIN)/mypy

docs: $(SET_UP)
	$(BIN)/pip install --quiet -e ".[docs]"
	$(BIN)/sphinx-build -b html -W --keep-going -j 2 docs docs/_build/html

examples: $(SET_UP)
	for file in examples/*.py; do MPLBACKEND=Agg $(BIN)/python $$file || exit 1; done

bench: $(SET_UP)
	$(BIN)/pip install --quiet -e ".[bench]"
	$(BIN)/python -m tests.benchmarks.sweeps

paper: $(SET_UP)
	$(BIN)/pip install --quiet -e ".[bench]"
	$(BIN)/python -m paper $(if $(QUICK),--quick) $(PAPER)

build: $(SET_UP)
	$(BIN)/pip install --quiet build
	$(BIN)/python -m build

set-up: $(SET_UP)

$(SET_UP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade pip
	$(BIN)/pip install --quiet -e ".[test]"
	touch $(SET_UP)

clean:
	rm -rf $(VENV) .venv-* build dist demo-output docs/_build

# make demo   set up and run the main job, on data that needs no download
# make test   set up and run all tests
# make quick  the tests that take less than a minute; make lint, types, docs, build as they say

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
SET_UP := $(VENV)/.set-up

.PHONY: demo test quick lint types docs examples bench build clean

demo: $(SET_UP)
	$(BIN)/python examples/demo.py

test: $(SET_UP)
	$(BIN)/python -m pytest -n 2

quick: $(SET_UP)
	$(BIN)/python -m pytest -n 2 -m "not slow"

lint: $(SET_UP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: $(SET_UP)
	$(BIN)/mypy

docs: $(SET_UP)
	$(BIN)/pip install --quiet -e ".[docs]"
	$(BIN)/sphinx-build -b html -W --keep-going docs docs/_build/html

examples: $(SET_UP)
	for file in examples/*.py; do MPLBACKEND=Agg $(BIN)/python $$file || exit 1; done

bench: $(SET_UP)
	$(BIN)/pip install --quiet -e ".[bench]"
	$(BIN)/python -m tests.benchmarks.sweeps

build: $(SET_UP)
	$(BIN)/pip install --quiet build
	$(BIN)/python -m build

$(SET_UP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade pip
	$(BIN)/pip install --quiet -e ".[test]"
	touch $(SET_UP)

clean:
	rm -rf $(VENV) .venv-* build dist demo-output docs/_build

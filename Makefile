# make solve   the main job: check the sound sets of instances/
# make test    lint, types, import contracts and the quick tests
# make slow    the tests that take longer
# make bench   all benchmarks, some twenty minutes; make bench-against: other people's tools as well
# Each makes its own virtual environment first, and at once if nothing changed.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
SOUND := instances/classic instances/unruly instances/signs instances/rectangular instances/odd
PYTEST := $(BIN)/python -m pytest -n auto

.PHONY: solve test slow bench bench-against lint clean

solve: $(VENV)/.installed
	$(BIN)/binairo check $(SOUND)

test: lint
	$(PYTEST) -m "not slow"

slow: $(VENV)/.installed-test
	$(PYTEST) -m slow

bench: $(VENV)/.installed-bench
	$(BIN)/python -m benchmarks

bench-against: $(VENV)/.installed-bench
	$(BIN)/python -m benchmarks --against

lint: $(VENV)/.installed-test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	touch $@

$(VENV)/.installed-test: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	touch $@ $(VENV)/.installed

$(VENV)/.installed-bench: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[against,bench]'
	touch $@ $(VENV)/.installed

clean:
	rm -rf $(VENV) build *.egg-info

# make solve   the main job: check the sound sets of instances/
# make test    lint, types, import contracts and the quick tests
# make slow    the tests that take longer
# make fuzz    new inputs for every reader, until one shows a fault: FUZZ_RUNS, at most FUZZ_SECONDS each
# Each makes its own virtual environment first, and at once if nothing changed.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
SOUND := instances/classic instances/unruly instances/signs instances/rectangular instances/odd
PYTEST := $(BIN)/python -m pytest -n auto

FUZZ_RUNS ?= 1000000
FUZZ_SECONDS ?= 600

.PHONY: solve test slow fuzz lint clean

solve: $(VENV)/.installed
	$(BIN)/binairo check $(SOUND)

test: lint
	$(PYTEST) -m "not slow"

slow: $(VENV)/.installed-test
	$(PYTEST) -m slow

fuzz: $(VENV)/.installed-fuzz
	$(BIN)/python -m tests.fuzz all --runs $(FUZZ_RUNS) --seconds $(FUZZ_SECONDS)
	$(BIN)/python -m tests.fuzz driver --runs $(FUZZ_RUNS) --seconds $(FUZZ_SECONDS)

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

$(VENV)/.installed-fuzz: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[fuzz]'
	touch $@ $(VENV)/.installed-test $(VENV)/.installed

clean:
	rm -rf $(VENV) build *.egg-info

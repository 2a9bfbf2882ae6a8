# make solve   the main job: check the sound sets of instances/
# make test    lint, types, import contracts and the quick tests
# make slow    the tests that take longer
# make docs    the API reference, as HTML in build/docs
# Each makes its own virtual environment first, and at once if nothing changed.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
SOUND := instances/classic instances/unruly instances/signs instances/rectangular instances/odd
PYTEST := $(BIN)/python -m pytest -n auto

.PHONY: solve test slow docs lint clean

solve: $(VENV)/.installed
	$(BIN)/binairo check $(SOUND)

test: lint
	$(PYTEST) -m "not slow"

slow: $(VENV)/.installed-test
	$(PYTEST) -m slow

docs: $(VENV)/.installed-docs
	$(BIN)/python -m docs.reference build/docs
	@echo "The first page is build/docs/index.html."

lint: $(VENV)/.installed-test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml | $(BIN)/python
	@echo "Installing into $(VENV), which takes a minute or two."
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	touch $@

$(VENV)/.installed-docs: pyproject.toml | $(BIN)/python
	@echo "Installing into $(VENV), which takes a minute or two."
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	touch $@ $(VENV)/.installed

$(VENV)/.installed-test: pyproject.toml | $(BIN)/python
	@echo "Installing into $(VENV), which takes a minute or two."
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	touch $@ $(VENV)/.installed $(VENV)/.installed-docs

clean:
	rm -rf $(VENV) build *.egg-info

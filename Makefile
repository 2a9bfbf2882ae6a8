# make solve   the main job: check the sound sets of instances/
# make test    lint, types, import contracts and the quick tests
# make slow    the tests that take longer, and a tenth of those that rotate (ALL=1: all)
# make nightly all tests, with more examples, and all Pythons: hours, before a release
# make page    join the files of the web page with esbuild from npm, so that they load faster
# make screenshots  take the picture of the web page for the docs; needs Chromium
# make stock   generate the puzzles that the web page has without a server
# make translations   take the messages of explanations into the catalogues, and compile them
# make docs    the documentation site in build/docs, and a manual page in build/man
# make mutants ROOM=puzzle   MUTANTS small mistakes in a room, one by one: do the tests notice?
# make lock    renew the locked versions in requirements/
# make pylock  those of the image as build/pylock.toml (PEP 751)
# make release-check   can a release be built, and does its wheel work alone?
# make package-check   the same for a package that has no address yet, such as in CI
# make bench   all benchmarks, some twenty minutes; make bench-against: other people's tools as well
# Each makes its own virtual environment first, and at once if nothing changed.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PYTEST := $(BIN)/python -m pytest -n auto --dist worksteal
# Another tenth of the rotating tests after each commit, and the same for the same commit.
TENTH = $(shell git rev-list --count HEAD 2>/dev/null || echo 0)

# Otherwise each process compiles the package again, and pytest all tests.
unexport PYTHONDONTWRITEBYTECODE

# How many examples the quick property tests draw: quick or, as .ci/run has it, full.
EXAMPLES ?= quick
ROOM ?= puzzle
TESTS ?= tests/$(ROOM) tests/contract
MUTANTS ?= 50
SEED ?= 1

.PHONY: solve test slow nightly docs page screenshots stock lock pylock translations bench bench-against mutants lint release-check package-check clean

solve: $(VENV)/.installed-service,pdf,png
	@$(BIN)/python instances/solve.py

test: lint
	$(PYTEST) -m "not slow" --hypothesis-profile $(EXAMPLES)

ifdef ALL
slow: $(VENV)/.group-test $(VENV)/.page $(VENV)/clients/.installed
	$(PYTEST) -m slow --hypothesis-profile full
else
slow: $(VENV)/.group-test $(VENV)/.page
	$(PYTEST) -m "slow and not nightly" --tenth=$(TENTH) --hypothesis-profile full
endif

nightly: $(VENV)/.group-bench
	$(MAKE) slow ALL=1
	$(PYTEST) -m "not slow" --hypothesis-profile thorough
	$(BIN)/python -m benchmarks --size tiny --out build/bench
	.ci/pythons $(BIN)/python

docs: $(VENV)/.group-docs
	$(BIN)/python -m docs.site build/docs
	$(BIN)/python -m docs.man build/man/binairo.1
	@echo "The first page is build/docs/index.html."

stock: $(VENV)/.group-test
	$(BIN)/python -m docs.stock

screenshots: page
	$(BIN)/python -m docs.screenshots

translations: $(VENV)/.group-test
	$(BIN)/python -m docs.translations

# Versions for all platforms and Pythons, with hashes. The files name no index.
LOCK := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --upgrade \
	--no-emit-index-url --no-emit-find-links --no-annotate --custom-compile-command "make lock"

lock: $(VENV)/.group-release
	$(LOCK) pyproject.toml --extra service --extra postgres --extra pdf --extra png --extra parquet -o requirements/image.txt
	$(LOCK) pyproject.toml --all-extras --group test -c requirements/image.txt -o requirements/test.txt
	$(LOCK) requirements/build.in -o requirements/build.txt
	$(LOCK) requirements/wheels.in -o requirements/wheels.txt

pylock: $(VENV)/.group-release
	@mkdir -p build
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 requirements/image.txt -o build/pylock.toml

# In a copy, which cosmic-ray changes and where the kernels are compiled already.
mutants: $(VENV)/.group-mutants
	rm -rf build/mutants && mkdir -p build/mutants
	tar --exclude=./build --exclude='./.venv*' --exclude=./.git -c . | tar -x -C build/mutants
	sed 's|ROOM|$(ROOM)|; s|TESTS|$(TESTS)|; s|PYTHON|$(CURDIR)/$(BIN)/python|' tests/cosmic-ray.toml > build/mutants/config
	cd build/mutants && export PATH=$(CURDIR)/$(BIN):$$PATH PYTHONPATH=$$PWD PYTHONDONTWRITEBYTECODE=1 && \
	    cosmic-ray init config session && cr-filter-operators session config && \
	    python -m tests.support.sampling session $(MUTANTS) $(SEED) && \
	    cosmic-ray baseline config && cosmic-ray exec config session && cr-report --show-diff session

release-check: $(VENV)/.group-release
	.ci/release-check $(BIN)/python

package-check: $(VENV)/.group-release
	.ci/release-check $(BIN)/python --unpublished

bench: $(VENV)/.group-bench
	$(BIN)/python -m benchmarks

bench-against: $(VENV)/.group-bench $(VENV)/.group-against
	$(BIN)/python -m benchmarks --against

lint: $(VENV)/.group-test $(VENV)/.page-checked
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/zizmor --offline --quiet --min-severity medium .github

$(BIN)/uv:
	@echo "Making a virtual environment in $(VENV)."
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv

# uv takes a quarter of pip's time.
INSTALL := $(BIN)/uv pip install --quiet --python $(BIN)/python
KERNELS := setup.py $(wildcard build_tools/kernels.py build_tools/joining.py $(foreach kind,py pxd c,binairo_cp/kernels/*.$(kind)) binairo_cp/kernels/*/*.py)

# A change of a kernel compiles them all again.
$(VENV)/.compiled: $(KERNELS) | $(BIN)/uv
	@echo "Installing into $(VENV) and compiling the kernels: a minute or two."
	@$(INSTALL) --editable .
	@touch $@

# More dependencies need no second compilation: some extras, or all with a group of pyproject.toml.
$(VENV)/.installed-%: pyproject.toml | $(VENV)/.compiled
	@echo "Installing what these parts need: $*."
	@BINAIRO_BUILD=none $(INSTALL) --editable '.[$*]'
	@touch $@

$(VENV)/.group-%: pyproject.toml | $(VENV)/.compiled
	@echo "Installing all extras, and what is for: $*."
	@BINAIRO_BUILD=none $(INSTALL) --editable . --requirements pyproject.toml --all-extras --group $*
	@touch $@

page: $(VENV)/.page

# Without npm or its registry, the server serves the modules one by one, and the test of the first view is skipped.
$(VENV)/.page: build_tools/page.py build_tools/package.json $(wildcard binairo_cp/service/static/*.js binairo_cp/service/static/*.css) | $(VENV)/.group-test
	$(BIN)/python build_tools/page.py || echo "The page is not built."
	touch $@

# Faults and types of the page's modules. Without npm or its registry, this is left out.
$(VENV)/.page-checked: $(wildcard build_tools/*page.py build_tools/*.json build_tools/*.mjs binairo_cp/service/static/*.js) | $(VENV)/.group-test
	$(BIN)/python build_tools/page.py --check
	touch $@

# Generators of clients from the OpenAPI document, for the slow tests. Without npm, those of TypeScript are skipped.
$(VENV)/clients/.installed: tests/service/clients/requirements.txt tests/service/clients/package.json | $(BIN)/uv
	$(BIN)/python -m venv $(VENV)/clients
	$(BIN)/uv pip install --quiet --python $(VENV)/clients/bin/python -r tests/service/clients/requirements.txt
	cp tests/service/clients/package.json $(VENV)/clients
	if command -v npm >/dev/null; then npm install --prefix $(VENV)/clients --no-package-lock --no-audit --no-fund --silent; fi
	touch $@

clean:
	rm -rf $(VENV) build *.egg-info

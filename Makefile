# Everything a newcomer needs: make demo, make test. Everything a developer needs: make check.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: help demo gallery test test-all check bench clean

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*##' Makefile | sed -E 's/:.*## /\t/' | expand -t 12

demo: .venv/ready  ## generate people, publish, audit, query and report them, in demo/
	@$(BIN)/python tools/demo.py

gallery: .venv/ready  ## every method on its sample data, one report each, in gallery/
	@$(BIN)/python tools/gallery.py

test: .venv/ready-dev  ## all tests but the slow ones
	@$(BIN)/python -m pytest -n 2 -q

test-all: .venv/ready-dev  ## all tests
	@$(BIN)/python -m pytest -n 2 -q -m "slow or not slow"

check: .venv/ready-dev  ## format, lint, types, layers, sizes and the fast tests
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/ruff check --quiet .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache --no-logo
	@$(BIN)/python tools/sizes.py
	@$(BIN)/python -m pytest -n 2 -q tests/unit tests/docs

bench: .venv/ready-dev  ## time and loss beside other tools; tables and JSON in bench/results/
	@$(BIN)/python -m bench.run

clean:  ## remove what the targets made
	rm -rf .venv .venv-peers .venv-networkit demo gallery bench/results

.venv/python: 
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; try: make demo PYTHON=python3.12")'
	@$(PYTHON) -m venv .venv
	@touch $@

.venv/ready: pyproject.toml | .venv/python
	@echo "setting up .venv, once"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

.venv/ready-dev: pyproject.toml | .venv/python
	@echo "setting up .venv for development, once"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps pycanon==1.3.6
	@touch $@ .venv/ready

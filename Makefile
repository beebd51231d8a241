# Everything a person or a machine runs here, one line each. `make demo` and `make test` need no earlier step.
PYTHON ?= python3
VENV ?= .venv
ARGS ?=
BIN := $(VENV)/bin
PY := $(BIN)/python

.DEFAULT_GOAL := help
.PHONY: help setup demo test cover lint format type imports tree typescript check bench soak hooks docs services clean

help: ## list these targets
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /\1\t/' | while IFS="$$(printf '\t')" read -r name what; do printf '  make %-11s %s\n' "$$name" "$$what"; done

setup: $(VENV)/.dev ## make the development environment

demo: $(VENV)/.user ## watch the main job on a bundled run
	@$(BIN)/beebread demo

test: $(VENV)/.dev ## run the tests (ARGS="tests/unit -k name" narrows)
	@$(PY) -m pytest $(ARGS)

cover: $(VENV)/.dev ## run the tests and hold the branch coverage floor
	@$(PY) -m pytest --cov --cov-report=term $(ARGS)

lint: $(VENV)/.dev ## check style
	@$(BIN)/ruff check && $(BIN)/ruff format --check

format: $(VENV)/.dev ## put style right where a machine can
	@$(BIN)/ruff check --fix; $(BIN)/ruff format

type: $(VENV)/.dev ## check types
	@$(BIN)/pyright --pythonpath $(PY)

imports: $(VENV)/.dev ## check that rooms import only rooms below them
	@$(BIN)/lint-imports --no-cache

tree: $(VENV)/.user ## redraw the generated pages of docs/ from the files
	@$(PY) tools/generated_pages.py

typescript: $(VENV)/.user ## make the types of the client for TypeScript from the server's document
	@$(BIN)/beebread serve --openapi > clients/typescript/openapi.json && cd clients/typescript && npm install --no-audit --no-fund --no-package-lock && npm run generate && npm run build

check: lint type imports docs cover ## everything CI runs

bench: $(VENV)/.user ## measure speed here
	@$(BIN)/beebread bench speed $(ARGS)

soak: $(VENV)/.dev ## run the long tests
	@$(PY) -m pytest -m soak --timeout=3600 $(ARGS)

hooks: ## run the quick checks before every commit (git)
	@git config core.hooksPath tools/git-hooks && echo "Quick checks now run before every commit; git config --unset core.hooksPath ends that."

docs: $(VENV)/.dev ## build the documentation into site/
	@$(BIN)/mkdocs build --strict && echo "Documentation built: site/index.html"

services: ## start the servers that tests of other engines need
	@echo "No engine built so far needs a server: nothing to start."

clean: ## remove what was made here, the environment included
	@rm -rf $(VENV) .ci/venv build dist site .pytest_cache .ruff_cache .hypothesis .coverage .coverage.* htmlcov

$(PY):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Beebread needs Python 3.11 or newer; name one with: make PYTHON=python3.12 ..." >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { echo "This Python has no venv module; on Debian and Ubuntu: apt install python3-venv" >&2; exit 1; }

$(VENV)/.user: pyproject.toml | $(PY)
	@echo "Installing beebread into $(VENV) ..." >&2
	@$(PY) -m pip install -qq --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.dev: pyproject.toml | $(PY)
	@echo "Installing beebread and its checks into $(VENV) ..." >&2
	@$(PY) -m pip install -qq --disable-pip-version-check --editable '.[dev]'
	@touch $(VENV)/.user $@

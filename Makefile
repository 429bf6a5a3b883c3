# Two commands matter: `make demo` (see it work) and `make test` (see it hold).
# Everything runs in .venv, which is made on first use; nothing is installed outside it but by `make system`.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV   := .venv
BIN    := $(VENV)/bin
N      ?= 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: demo test test-system interop system lint format bench show corpus clean

$(VENV)/ready: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed; set PYTHON=/path/to/python3.11"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { echo "python venv is missing: apt-get install python3-venv"; exit 1; }
	$(BIN)/python -m pip install -q -e '.[dev]'
	@touch $@

demo: $(VENV)/ready      ## a simulated terminal, then a simulated MCP server, on the embedded model
	$(BIN)/python examples/demo.py

test: $(VENV)/ready      ## all tests that need no system package and no model
	$(BIN)/python -m pytest -n auto

system:                  ## what `make test-system` needs from the system
	bash .ci/system

test-system: $(VENV)/ready system   ## tests that need a system package, Node or the embedded model
	$(BIN)/python -m pytest -m system

$(VENV)-interop/ready: pyproject.toml
	@$(PYTHON) -m venv $(VENV)-interop || { echo "python venv is missing: apt-get install python3-venv"; exit 1; }
	$(VENV)-interop/bin/python -m pip install -q -e '.[inspect]' 'pytest>=8,<10' 'hypothesis>=6.100,<7'
	@touch $@

interop: $(VENV)-interop/ready   ## tests with inspect_ai, in an environment of its own
	$(VENV)-interop/bin/python -m pytest -m interop tests/interop

lint: $(VENV)/ready      ## style, types, import layers
	$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/pyright && $(BIN)/lint-imports --no-cache

format: $(VENV)/ready
	$(BIN)/ruff check --fix . ; $(BIN)/ruff format .

show: $(VENV)/ready      ## what part N must show: make show N=1 [NAME=check] [OFFICIAL=checkout]
	$(BIN)/python -m benchmarks.show $(N) $(NAME) $(if $(OFFICIAL),--official $(OFFICIAL))

corpus: $(VENV)/ready    ## the training corpus, into runs/corpus (about an hour on two cores)
	$(BIN)/python -m benchmarks.corpus

bench: $(VENV)/ready     ## every table of docs/benchmarks.md
	$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV) $(VENV)-interop .pytest_cache .ruff_cache .hypothesis dist build

# make demo and make test need Python >= 3.11, a C++20 compiler, CMake and make; everything else is installed into .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := $(shell find src native -type f -not -name '*.pyc') CMakeLists.txt pyproject.toml README.md LICENSE
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: demo test check lint types native-test bench clean

demo: $(VENV)/.installed
	$(BIN)/dagmass demo

test: $(VENV)/.installed $(VENV)/.test-tools
	$(BIN)/python -m pytest

check: lint types test native-test

lint: $(VENV)/.check-tools
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/clang-format --dry-run --Werror $(shell find native tests/native -name '*.hpp' -o -name '*.cpp')
	$(BIN)/codespell

types: $(VENV)/.installed $(VENV)/.check-tools $(VENV)/.test-tools
	cd $(VENV) && bin/python -m mypy --config-file ../pyproject.toml -p dagmass -p dagmass_command

# The kernels without Python, under address and undefined-behaviour sanitizers, then under the thread sanitizer.
native-test:
	for sanitizer in address,undefined thread; do \
	  cmake -S . -B build/native-$$sanitizer -DDAGMASS_SANITIZE=$$sanitizer > /dev/null && \
	  cmake --build build/native-$$sanitizer --parallel 2 && \
	  ctest --test-dir build/native-$$sanitizer --output-on-failure || exit 1; \
	done

bench: $(VENV)/.installed $(VENV)/.test-tools $(VENV)/.bench-tools
	$(BIN)/python -m pytest bench --benchmark-columns=min,median,rounds --benchmark-sort=name

clean:
	rm -rf $(VENV) build

$(VENV)/.created:
	$(PYTHON) -c 'import sys; sys.exit("dagmass needs Python 3.11 or newer; say which one: make PYTHON=python3.12") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)
	touch $@

$(VENV)/.build-tools: $(VENV)/.created pyproject.toml
	$(PIP) "scikit-build-core>=0.11" "nanobind>=2.4"
	touch $@

$(VENV)/.installed: $(VENV)/.build-tools $(SOURCES)
	$(PIP) --no-build-isolation --config-settings=build-dir=build/wheel .
	touch $@

$(VENV)/.test-tools: $(VENV)/.created pyproject.toml
	$(BIN)/python tools/install_group.py test
	touch $@

$(VENV)/.check-tools: $(VENV)/.created pyproject.toml
	$(BIN)/python tools/install_group.py check
	touch $@

$(VENV)/.bench-tools: $(VENV)/.created pyproject.toml
	$(BIN)/python tools/install_group.py bench
	touch $@

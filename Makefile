# The commands of this project. Each sets up what it needs, on a fresh Debian 12 machine too.
#
#   PYTHON=python3.12   interpreter for .venv and for wheels
#   JOBS=4              parallel jobs (default: all cores)
#   ARGS=...            further arguments of the program that a target runs

PYTHON ?= python3.11
JOBS ?= $(shell nproc)
ARGS ?=

VENV := .venv/bin
export PATH := $(CURDIR)/$(VENV):$(PATH)

# run in a build tree's package: $(call in_build,dev) python ...
in_build = PYTHONPATH=$(CURDIR)/build/$(1)/python

.PHONY: help build demo test bench bench-shell docs conformance fuzz lint tidy format wheel test-asan test-tsan \
        test-gpu test-wheel test-neighbours neighbours clean bootstrap FORCE

help:
	@echo "make demo         nine programs on real data, checked against NumPy and SciPy"
	@echo "make test         unit tests and the quick part of every test suite"
	@echo "make bench        kernels against hand-written SIMD and against peers"
	@echo "make bench-shell  first launches, launches one by one, memory over many (ARGS=growth: one)"
	@echo "make docs         build/docs/index.html: guide and reference; warnings are errors"
	@echo "make conformance  which rows of the specification the tests show"
	@echo "make fuzz         random programs, compared on every target (ARGS=--programs=20000)"
	@echo "make lint         formatting, include rules, ruff, clang-tidy but for codegen, mypy"
	@echo "make tidy         clang-tidy on everything: codegen too"
	@echo "make wheel        dist/*.whl for PYTHON"
	@echo "make test-asan    the tests under the address and undefined-behaviour sanitizers"
	@echo "make test-tsan    the C++ tests under the thread sanitizer"
	@echo "make test-gpu     ten minutes on a GPU, from an installed wheel: tests, sanitizer, benchmarks"
	@echo "make test-wheel   the wheel in empty environments and beside cuda-core; sdist, pip install"
	@echo "make test-neighbours  the wheel in one process with numba, PyTorch and JAX"
	@echo "make neighbours   arrays of NumPy, PyTorch, JAX, SYCL, Dask, MPI ...: a table of what works"
	@echo "make build        build/dev; PYTHONPATH=build/dev/python runs it"
	@echo "make format       formats C++ and Python sources"
	@echo "make clean        removes build/ and dist/"

bootstrap:
	@PYTHON=$(PYTHON) scripts/bootstrap

build: build/dev
build/dev: TYPE := Dev
build/asan: TYPE := ASan
build/tsan: TYPE := TSan
build/release: TYPE := Release
build/dev build/asan build/tsan build/release: bootstrap FORCE
	@scripts/configure $@ $(TYPE)
	@ninja -C $@ -j $(JOBS)

test: build/dev
	@ctest --test-dir build/dev -j $(JOBS) --output-on-failure --no-tests=error
	@$(call in_build,dev) python -m pytest -n $(JOBS) $(ARGS)

# The runtime must be the first thing in the process, and the C++ library with it, or its hooks of
# exceptions find nothing. Python itself leaks by design. Tests let memory run out, and
# processes die of a signal.
asan_env = LD_PRELOAD="$(shell gcc -print-file-name=libasan.so) $(shell gcc -print-file-name=libstdc++.so)" \
  ASAN_OPTIONS=detect_leaks=0:detect_stack_use_after_return=0:allocator_may_return_null=1:handle_segv=0 \
  UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1

test-asan: build/asan
	@UBSAN_OPTIONS=print_stacktrace=1 ctest --test-dir build/asan -j $(JOBS) --output-on-failure --no-tests=error
	@$(asan_env) $(call in_build,asan) python -m pytest -n $(JOBS) $(ARGS)

test-tsan: build/tsan
	@TSAN_OPTIONS=suppressions=$(CURDIR)/tests/tsan.supp setarch -R ctest --test-dir build/tsan --output-on-failure --no-tests=error

test-gpu: wheel
	@PYTHON=$(PYTHON) scripts/test-gpu $(ARGS)

test-wheel: wheel
	@PYTHON=$(PYTHON) scripts/test-wheel $(ARGS)

test-neighbours: wheel
	@PYTHON=$(PYTHON) scripts/test-neighbours $(ARGS)

neighbours: build/dev
	@PYTHON=$(PYTHON) scripts/neighbours $(ARGS)

# Has an environment of its own: PYTHON may be another one than that of .venv.
wheel:
	@scripts/bootstrap --system
	@PYTHON=$(PYTHON) scripts/wheel

demo: build/release
	@$(call in_build,release) python demo/run.py $(ARGS)

bench: build/release
	@bench/setup
	@python bench/run.py --python-path=build/release/python $(ARGS)

# What surrounds kernels. Each says what is wanted, and fails where it is missed by too much.
bench-shell: build/release
	@bench/setup
	@missed=; for name in $(or $(ARGS),first_launch many_launches growth); do \
	  echo "bench/$$name.py"; \
	  $(call in_build,release) .venv-bench/bin/python bench/$$name.py || missed="$$missed $$name"; \
	done; [ -z "$$missed" ] || { echo "missed:$$missed" >&2; exit 1; }

docs: bootstrap
	@python -m sphinx -q -W --keep-going -b html docs build/docs
	@echo build/docs/index.html

conformance: build/dev
	@$(call in_build,dev) python scripts/conformance.py --jobs=$(JOBS) $(ARGS)

fuzz: build/dev
	@$(call in_build,dev) python tests/fuzz/run.py $(ARGS)

lint: bootstrap
	@JOBS=$(JOBS) scripts/lint

tidy: bootstrap
	@JOBS=$(JOBS) scripts/tidy --all

format: bootstrap
	@scripts/lint --fix

clean:
	rm -rf build dist

FORCE:

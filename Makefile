# The verbs that people and CI share. `make demo` and `make test` need Python 3.11+ and nothing else.
PYTHON ?= python3
BIN := .venv/$(if $(filter Windows_NT,$(OS)),Scripts,bin)

.PHONY: demo test test-all test-core test-gpu test-lowest test-nightly release-check lint format docs fuzz pictures bench bench-choice bench-gpu bench-kernels bench-limits bench-medium bench-path bench-published bench-paper bench-requirements bench-rivals bench-scale bench-thresholds venv clean

demo: .venv/.package
	$(BIN)/boolrules demo

test: .venv/.dev
	$(BIN)/python -m pytest -n auto --dist worksteal

# Beside all of `test`, PyTorch on the CPU and the report in Chromium, where they can be had; what was
# skipped stands at the end, with the reason.
test-all: .venv/.dev
	@$(BIN)/python -c "import torch" 2>/dev/null \
		|| $(BIN)/python -m pip install --quiet --editable ".[gpu]" \
		|| echo "PyTorch cannot be installed here, see above; its tests are skipped"
	@$(BIN)/python -m pip install --quiet --group browser \
		|| echo "playwright cannot be installed here, see above; its tests are skipped"
	@command -v chromium || command -v chromium-browser || command -v google-chrome \
		|| $(BIN)/playwright install chromium \
		|| echo "Chromium cannot be installed here, see above; its tests are skipped"
	$(BIN)/python -m pytest -n auto --dist worksteal --all

# Other packages than the newest, each in a folder of its own: what we say is the lowest, none of the
# extras, what our dependencies will release next. TESTS="tests/rules tests/data" runs less than all.
EXTRAS := plot,sql,onnx,dask,completion
TESTS ?= tests
# Warnings are errors where packages are the newest; old ones warn of each other.
PYTEST := python -m pytest -n auto --dist worksteal -m "not docs" -W default
test-lowest: .venv/.release
	$(BIN)/uv venv --quiet --clear --no-project --python $(BIN)/python .venv/lowest
	$(BIN)/uv pip install --quiet --python .venv/lowest --resolution lowest-direct ".[$(EXTRAS)]" --group test
	$(subst .venv,.venv/lowest,$(BIN))/$(PYTEST) $(TESTS)

test-core: .venv/.release
	$(BIN)/uv venv --quiet --clear --no-project --python $(BIN)/python .venv/core
	$(BIN)/uv pip install --quiet --python .venv/core . --group core
	$(subst .venv,.venv/core,$(BIN))/$(PYTEST) --core $(TESTS)

test-nightly: .venv/.release
	$(BIN)/uv venv --quiet --clear --no-project --python $(BIN)/python .venv/nightly
	$(BIN)/uv pip install --quiet --python .venv/nightly --prerelease allow --upgrade ".[$(EXTRAS)]" --group test
	$(subst .venv,.venv/nightly,$(BIN))/$(PYTEST) $(TESTS)

# All that can be tried before a release: the sdist, the wheel alone, each Python that is here, lowest versions.
release-check: .venv/.release
	$(BIN)/python .ci/release_check.py $(if $(TAG),--tag $(TAG)) $(TESTS)

lint: .venv/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/codespell

format: .venv/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# PyTorch for CUDA is 5 GB: only who asks for it gets it. Tests marked gpu are skipped where there is none.
test-gpu: .venv/.dev
	$(BIN)/python -m pip install --quiet --editable ".[gpu]"
	$(BIN)/python -m pytest $(addprefix tests/search/test_,torch_engine.py torch_device.py engine_choice.py)

# SECONDS=300 SEED=7: other cases, for longer. KIND=models CASE=41 is one case again, as a finding names it.
SECONDS ?= 60
SEED ?= 1
fuzz: .venv/.dev
	PYTHONPATH=tests $(BIN)/python -m fuzz --seconds $(SECONDS) --seed $(SEED) $(if $(KIND),--kind $(KIND)) $(if $(CASE),--case $(CASE))

docs: .venv/.docs
	$(BIN)/mkdocs build --strict

# The pictures in docs/images; needs Chromium.
pictures: .venv/.dev
	$(BIN)/python -m pip install --quiet --group browser
	$(BIN)/python docs/images/make.py

bench: .venv/.dev
	$(BIN)/python -m benchmarks.speed

# Tables of ten thousand rows and more, clauses of at most 5 conditions, 300 s each.
bench-medium: .venv/.dev
	$(BIN)/python -m benchmarks.speed --data adult,bank-mkt-additional,magic,mushroom,FICO \
		--complexity 10 --conditions 5 --time-limit 300 --skip-ratios --name speed_medium

# On a machine with a GPU, over arrays that `python -m benchmarks.gpu.arrays FOLDER` wrote.
bench-gpu: .venv/.dev
	$(BIN)/python -m benchmarks.gpu nodes $(ARRAYS)
	$(BIN)/python -m benchmarks.gpu fits $(ARRAYS)

bench-kernels: .venv/.dev
	$(BIN)/python -m benchmarks.speed.kernels

# LIMITS="--cpu" counts processor seconds, for a machine that is busy; LIMITS="--only adult" is one part.
bench-limits: .venv/.dev
	$(BIN)/python -m benchmarks.limits $(LIMITS)

# CHOICE="--data magic,adult --learners boolrules" is one part of a run; rivals come with bench-rivals.
bench-choice: .venv/.dev
	$(BIN)/python -m benchmarks.choice $(CHOICE)

bench-path: .venv/.dev
	$(BIN)/python -m benchmarks.path

bench-scale: .venv/.dev
	$(BIN)/python -m benchmarks.scale $(SCALE)

# FITS=1: whole tables alone, no folds. QUICK=1 and FRESH=1 as for bench-paper, below.
# THRESHOLDS="--again" measures anew, "--complexities 5,10,15 --data pima" other parts.
bench-thresholds: .venv/.dev
	$(BIN)/python -m benchmarks.thresholds --output $(OUTPUT) $(if $(FITS),--parts fits) $(if $(QUICK),--quick) $(THRESHOLDS)

# QUICK=1 as above. REQUIREMENTS="--again --parts fronts --data heart" measures one part anew.
bench-requirements: .venv/.dev
	$(BIN)/python -m benchmarks.requirements --output $(OUTPUT) $(if $(QUICK),--quick) $(REQUIREMENTS)

bench-published: .venv/.dev
	$(BIN)/python -m benchmarks.speed.published

# QUICK=1: two folds and short limits. FRESH=1: all ten. Both know nothing of the committed results.
# PAPER="--data large --learners CART,JRip" is one part of a run.
OUTPUT ?= $(if $(QUICK),benchmarks/.run/quick,$(if $(FRESH),benchmarks/.run/full,benchmarks/results))
bench-paper: .venv/.dev
	$(BIN)/python -m benchmarks.learners.run --output $(OUTPUT) $(if $(QUICK),--quick) $(PAPER)
	$(BIN)/python -m benchmarks.learners.tables --output $(OUTPUT)
	$(BIN)/python -m benchmarks.learners.figures --output $(OUTPUT)

bench-rivals: .venv/.dev
	$(BIN)/python -m benchmarks.learners.rivals

venv: .venv/.dev

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "boolrules needs Python 3.11 or newer; this is " + sys.version)'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"

.venv/.package: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

.venv/.dev: .venv/.package
	$(BIN)/python -m pip install --quiet --group dev
	@touch $@

.venv/.release: .venv/.dev
	$(BIN)/python -m pip install --quiet --group release
	@touch $@

.venv/.docs: .venv/.dev
	$(BIN)/python -m pip install --quiet --group docs
	@touch $@

clean:
	rm -rf .venv build dist site .mypy_cache .ruff_cache .pytest_cache .hypothesis

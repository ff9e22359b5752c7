# The two commands of the README are `make reproduce` and `make test`. Both need Python 3.11, git and make.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
# An image of docker/ names its environment, and make installs nothing beside it.
VENV := $(or $(SELU_ENVIRONMENT),.venv)
BIN := $(VENV)/bin
AUTHORS := .venv-authors
DEVICES ?= /dev
# The lock of fine-tuning, by the device that is there: PyPI's torch for an NVIDIA GPU, the CPU build elsewhere.
GPUS := $(wildcard $(DEVICES)/nvidia[0-9]*)
FINETUNE ?= $(if $(GPUS)$(wildcard $(DEVICES)/dxg),finetune,finetune-cpu)
MINUTES ?= 60
PROFILE ?= workstation
TORCH_WHEELS ?= https://download.pytorch.org/whl/cpu/torch/
export PATH := $(abspath $(BIN)):$(PATH)
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# llama.cpp for any x86-64 or ARM processor: one compiled for the machine's own may be killed in a container (AMX).
export CMAKE_ARGS ?= -DGGML_NATIVE=OFF
# Tests start hundreds of processes: each would compile the package again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help install reproduce test test-ci test-all check data baselines nlbse24 environments finetune finetune-environment \
  prompt-environment local-environment sweep-environment remotes-environment text-metrics-environment pipeline-environment \
  reproduce-data reproduce-runs locks benchmark loan paper archive test-images test-sweep clean

install: $(VENV)/verify.stamp  ## selu in .venv; then '. .venv/bin/activate'

reproduce: $(VENV)/verify.stamp  ## recompute everything tracked and compare it byte for byte
	selu reproduce

test: $(VENV)/dev.stamp  ## lint, types, rooms and the default tests
	dvc pull >/dev/null
	$(MAKE) --no-print-directory check
	python -m pytest -m "not slow and not ci" -n 2 --dist worksteal

test-ci: $(VENV)/dev.stamp  ## the tests of seconds each, which make test leaves out
	dvc pull >/dev/null
	python -m pytest -m "ci and not slow" -n 2 --dist worksteal

test-all: $(VENV)/dev.stamp $(AUTHORS)/authors.stamp  ## the same with the slow tests
	dvc pull >/dev/null
	$(MAKE) --no-print-directory check
	python -m pytest -n 2 --dist worksteal

check:
	ruff check .
	ruff format --check .
	mypy
	lint-imports

reproduce-data: $(VENV)/data.stamp  ## read, clean and split the data sets again, and compare; SELU_MIRROR=DIR
	selu reproduce --data

reproduce-runs: $(VENV)/data.stamp environments finetune-environment  ## the shortest tracked runs from raw bytes
	selu fetch --all
	selu prepare --all
	dvc pull >/dev/null
	selu reproduce --runs --minutes $(MINUTES)

data: $(VENV)/data.stamp  ## fetch and prepare the data sets; SELU_MIRROR=DIR takes local copies
	selu fetch --all
	selu prepare --all

environments: $(VENV)/baselines.stamp $(if $(SELU_ENVIRONMENT),,$(AUTHORS)/authors.stamp)  ## what both baselines run in: current versions, and the authors'

baselines: environments  ## run both baselines on the prepared data sets
	selu run --system tfidf-xgboost --system fasttext

finetune-environment: $(if $(SELU_ENVIRONMENT),,$(VENV)/$(FINETUNE).stamp)  ## what fine-tuning runs in

finetune: finetune-environment  ## fine-tune MiniLM-L6 on the prepared data sets
	selu run --system minilm-l6

paper: $(VENV)/data.stamp environments finetune-environment $(if $(word 2,$(GPUS)),sweep-environment)  ## all of the paper that PROFILE names (laptop, workstation, a100), from raw bytes to trained columns and pages
	@test -w . || { echo "selu: user $$(id -u) can't write into this clone: start the container with --user \"\$$(id -u):\$$(id -g)\"." >&2; exit 2; }
	selu doctor
	selu fetch --all
	selu prepare --all
	dvc pull >/dev/null
	selu profile $(PROFILE)
	dvc repro --keep-going

nlbse24: $(VENV)/data.stamp $(VENV)/baselines.stamp finetune-environment  ## NLBSE'24: prepare its data, run its systems
	selu prepare --paper nlbse24
	selu run --paper nlbse24

prompt-environment: $(VENV)/prompt.stamp  ## what prompting runs in; 'selu run --system gpt-4o-zero-shot' costs money

local-environment: $(VENV)/local.stamp  ## the same, with a server for models on this machine, which pip compiles

test-images: $(VENV)/dev.stamp  ## try both images, built from nothing, on a CPU (hours); needs Debian, root, buildah, debootstrap, patchelf
	dvc pull >/dev/null
	SELU_TEST_IMAGES=1 python -m pytest tests/images

sweep-environment: $(VENV)/sweep.stamp  ## what 'selu sweep' runs in, beside what its cells need

remotes-environment: $(VENV)/remotes.stamp  ## what DVC needs for remotes at S3

text-metrics-environment: $(VENV)/text-metrics.stamp  ## what answers in free text are scored by

pipeline-environment: $(VENV)/pipeline.stamp  ## what FAUN-Eval's tasks are made of any repository by

test-sweep: $(VENV)/dev.stamp  ## two Ray nodes on this machine, one of them killed in the middle
	SELU_TEST_NODES=1 python -m pytest -m nodes

benchmark: $(VENV)/baselines.stamp finetune-environment prompt-environment text-metrics-environment  ## ours against the plain ways (SELU_MIRROR)
	python speed/signed_rank.py
	python speed/cleaning.py
	python speed/metrics.py
	python speed/grid.py
	python speed/finetune.py
	python speed/upcast.py
	python speed/embed.py
	python speed/issue_metrics.py
	python speed/prompt.py

# An environment in a folder; where Python is another one, a sentence in place of pip's.
define environment
@test -x $(1)/bin/python || { $(PYTHON) -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' 2>/dev/null || \
  { echo "selu needs Python 3.11; '$(PYTHON)' is none: name one, as in 'make reproduce PYTHON=python3.11'." >&2; exit 2; }; \
  $(PYTHON) -m venv $(1); }
endef

# The CPU build of torch lies on its makers' page (TORCH_WHEELS, a page or a folder), not on PyPI, whose build brings
# gigabytes of CUDA. It is installed first and alone: pip would ask the page again for each of 250 packages, and where
# the page is out of reach but pip is configured with the wheel, each would wait for it in vain.
ifdef SELU_ENVIRONMENT
$(VENV)/%.stamp:
	@echo "selu: this image was built without what locks/$*.txt pins: run this outside of it." >&2; exit 2
else
$(VENV)/%.stamp: locks/%.txt pyproject.toml
	$(call environment,$(VENV))
	@sed -n '/^torch==.*+cpu/,/[^\\]$$/p' $< > $(VENV)/torch.txt
	@test ! -s $(VENV)/torch.txt || $(BIN)/python -m pip install --quiet --retries 1 --no-deps --require-hashes \
	  --find-links $(TORCH_WHEELS) --requirement $(VENV)/torch.txt
	@# pip takes torch 2.13.0+cpu for 2.13.0: it goes before the build for CUDA is installed
	@! grep -q '^torch==[0-9.]* ' $< || ! ls -d $(VENV)/lib/python3*/site-packages/torch-*+cpu.dist-info >/dev/null 2>&1 || \
	  { $(BIN)/python -m pip uninstall --quiet --yes torch && rm -f $(VENV)/finetune-cpu.stamp; }
	@test ! -s $(VENV)/torch.txt || rm -f $(VENV)/finetune.stamp
	@# --no-deps: a lock names everything, and codebleu asks for a tree-sitter that is older than the one it runs with
	$(BIN)/python -m pip install --quiet --use-pep517 --no-deps --require-hashes --requirement locks/$*.txt
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@
endif

# --no-deps: the lock leaves out what XGBoost needs on a GPU only
$(AUTHORS)/authors.stamp: locks/authors.txt
	$(call environment,$(AUTHORS))
	$(AUTHORS)/bin/python -m pip install --quiet --no-deps --require-hashes --requirement locks/authors.txt
	@touch $@

locks:  ## resolve the extras again; needs uv
	for extra in verify data baselines finetune prompt local sweep remotes text-metrics pipeline finetune-cpu dev; do \
	  case $$extra in finetune-cpu|dev) wheels="--find-links $(TORCH_WHEELS)";; *) wheels=;; esac; \
	  uv pip compile pyproject.toml --extra $$extra --extra build --universal --python-version 3.11 $$wheels \
	    --generate-hashes --no-annotate --quiet --custom-compile-command "make locks" --output-file locks/$$extra.txt; \
	done
	uv pip compile pyproject.toml --extra cuda --extra build --python-platform x86_64-manylinux_2_28 \
	  --python-version 3.11.18 --constraint locks/baselines.txt --constraint locks/prompt.txt \
	  --constraint locks/sweep.txt --constraint locks/remotes.txt \
	  --generate-hashes --no-annotate --quiet --custom-compile-command "make locks" --output-file locks/cuda.txt
	$(PYTHON) docker/metadata.py locks/cuda.txt
	uv pip compile locks/authors.in --universal --python-version 3.11 --generate-hashes --no-annotate --quiet \
	  --no-emit-package nvidia-nccl-cu12 --custom-compile-command "make locks" --output-file locks/authors.txt

loan: finetune-environment  ## what a lent GPU needs, packed below 50 MB in build/ (needs the rows of 'make data')
	python speed/loan.py build/loan

archive: $(VENV)/verify.stamp  ## the commit at HEAD with its record of provenance as one zip, in build/
	selu archive

help:  ## what make can do
	@sed -n 's/^\([a-z][a-z0-9-]*\):.*  ## \(.*\)/\1\t\2/p' $(firstword $(MAKEFILE_LIST)) | \
	  while IFS="$$(printf '\t')" read -r goal does; do printf '%-26s %s\n' "$$goal" "$$does"; done

clean:
	rm -rf .venv $(AUTHORS) .reproduce build
	@# .selu/prompts holds the journals of replies that were paid for, .selu/models what hours of training gave
	@test ! -d .selu || find .selu -mindepth 1 -maxdepth 1 ! -name prompts ! -name models -exec rm -rf {} +

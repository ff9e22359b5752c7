#!/bin/sh
# The steps that docker/Dockerfile, docker/Dockerfile.cpu and docker/selu.def share, one a layer. Everything is installed
# by the hashes of locks/, source distributions by the tools that locks/cuda.txt names, never by what pip would fetch.
# usage: stack.sh base IMAGE | python VERSION | wheels LOCK... | sources LOCK NAMES | flash-attn | trim | check
set -eu

LOCKS=${LOCKS:-/opt/locks}
ENVIRONMENT=${ENVIRONMENT:-/opt/selu}
# Distributions without a wheel: the last is compiled against the torch that stands in the environment.
SOURCES='antlr4-python3-runtime|baycomp|seqeval|deepspeed|flash-attn'
TOOLS='packaging|setuptools|setuptools-scm|typing-extensions|vcs-versioning|wheel'
# pip keeps built wheels by name alone: one of DeepSpeed from before torch was there has no operators.
# flash-attn's kernels are compiled by the ninja of the lock.
export PATH="$ENVIRONMENT/bin:$PATH"
export PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore

pick() { # pick LOCK NAMES: the entries of these distributions, with their hashes
  awk -v wanted="^($2)==" '$0 ~ wanted {on = 1} on {print} on && !/\\$/ {on = 0}' "$LOCKS/$1.txt"
}

omit() { # omit LOCK NAMES: all other entries
  awk -v unwanted="^($2)==" '$0 ~ unwanted {off = 1} !off {print} off && !/\\$/ {off = 0}' "$LOCKS/$1.txt"
}

install() { # exactly the requirements that are piped in, by their hashes
  list=$(mktemp) && cat > "$list"
  test -s "$list" || { echo "a lock in $LOCKS has nothing of what step '$step' installs." >&2 && exit 1; }
  "$ENVIRONMENT/bin/python" -m pip install --quiet --no-deps --require-hashes --requirement "$list" "$@"
  rm "$list"
}

base() {
  case $1 in
    *@sha256:*) ;;
    *) echo "$1 is no image by digest: give NAME@sha256:DIGEST, as docker/VERSIONS.md says." >&2 && exit 1 ;;
  esac
}

python() { # the system's Python 3.11; where there is none, the build that the pinned uv knows the hash of
  if ! python=$(command -v python3.11); then
    pick cuda uv | python3 -m pip install --quiet --no-deps --require-hashes --requirement /dev/stdin --target /tmp/uv
    /tmp/uv/bin/uv python install --quiet --no-bin --install-dir /opt/python "$1"
    python=$(echo /opt/python/cpython-"$1"-*/bin/python3.11)
    rm -rf /tmp/uv
  fi
  "$python" -m venv "$ENVIRONMENT"
}

wheels() { # torch's CPU build lies on its makers' page (or in a folder), not on PyPI
  for lock in "$@"; do
    pick "$lock" torch | grep -q '+cpu' && pick "$lock" torch | install --find-links "$TORCH_WHEELS"
    omit "$lock" "$SOURCES" | install --only-binary :all:
  done
}

sources() {
  pick cuda "$TOOLS" | install --only-binary :all:
  pick "$1" "$2" | DS_BUILD_OPS=0 install --no-build-isolation # ZeRO-2 is given torch's optimizer: none of them is called
}

compiler() { # what compiles kernels side by side: the locked ninja, not one that the machine happens to have
  test "$(command -v ninja)" = "$ENVIRONMENT/bin/ninja" && ninja --version > /dev/null || {
    echo "ninja of locks/cuda.txt is not in $ENVIRONMENT: run 'stack.sh wheels cuda' before this step." >&2 && exit 1
  }
}

flash_attn() { # its version says what it was built for, which `selu doctor` holds to the torch that it finds
  compiler
  work=$(mktemp -d)
  built_for=$("$ENVIRONMENT/bin/python" -c 'import torch
version, abi = torch.__version__.partition("+")[0], torch._C._GLIBCXX_USE_CXX11_ABI
print(f"cu{torch.version.cuda}torch{version}cxx11abi{abi}".lower())')
  pick cuda flash-attn | "$ENVIRONMENT/bin/python" -m pip download --quiet --no-deps --require-hashes \
    --no-build-isolation --no-binary :all: --requirement /dev/stdin --dest "$work"
  tar --extract --gzip --file "$work"/flash_attn-*.tar.gz --directory "$work"
  # of its kernels those that the models call; FORCE_BUILD: else its setup would take a wheel from the network by name
  "$ENVIRONMENT/bin/python" /opt/flash_lean.py "$work"/flash_attn-*/ "$work/built" ${MAX_JOBS:+--jobs "$MAX_JOBS"}
  FLASH_ATTENTION_FORCE_BUILD=TRUE FLASH_ATTENTION_SKIP_CUDA_BUILD=TRUE FLASH_ATTN_LOCAL_VERSION=$built_for \
    "$ENVIRONMENT/bin/python" -m pip wheel --no-deps --no-build-isolation --wheel-dir "$work" "$work"/flash_attn-*.tar.gz
  "$ENVIRONMENT/bin/python" -m pip install --quiet --no-deps "$work"/flash_attn-*.whl
  cp "$work/built/flash_attn_2_cuda.so" "$ENVIRONMENT/lib/python3.11/site-packages/"
  rm -rf "$work"
}

trim() { # what nobody runs here, a tenth of the CPU image: tests of others (numpy needs its own), torch's headers
  cd "$ENVIRONMENT/lib/python3.11/site-packages"
  rm -rf torch/include torch/test
  find torch/bin -type f ! -name torch_shm_manager -delete
  # pyarrow's client of Arrow Flight, and what an editor's completion reads
  rm -rf pyarrow/*arrow_flight* pyarrow/*arrow_python_flight* pyarrow/_flight* pyarrow/include jedi/third_party
  find matplotlib networkx pandas pyarrow scipy sklearn spacy statsmodels sympy -depth -type d -name tests \
    -exec rm -rf {} +
  # symbols that only a debugger reads, a tenth more; numpy's, scipy's and others that patchelf altered stay whole
  find torch/lib/libtorch_cpu.so torch/lib/libtorch_python.so fontTools kiwisolver pyarrow spacy thinc fasttext_pybind*.so \
    -type f \( -name '*.so' -o -name '*.so.*' \) -exec strip --strip-unneeded {} +
}

check() { # no GPU is needed to load what was compiled
  compiler && echo "ninja $(ninja --version) compiled the kernels"
  "$ENVIRONMENT/bin/python" -m pip check
  DS_ACCELERATOR=cuda "$ENVIRONMENT/bin/python" -c 'import torch, flash_attn_2_cuda, deepspeed
print("torch", torch.__version__, "flash-attn and DeepSpeed", deepspeed.__version__, "load")'
}

step=$1 && shift
case $step in
  base | python | wheels | sources | trim | check) "$step" "$@" ;;
  flash-attn) flash_attn ;;
  *) echo "stack.sh has no step $step." >&2 && exit 2 ;;
esac

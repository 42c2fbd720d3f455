#!/bin/sh
# Builds Pinocchio's side of the benchmark: setup.sh BUILD_DIR  ->  BUILD_DIR/peer-clang and BUILD_DIR/peer-gcc
#
# Needs python3 and, for what is missing, root on a Debian-like machine and the network (apt and pip, nothing else).
# Does only what is not up to date.  BUILD_DIR/venv also has Pinocchio's Python module, to check results against.
set -eu

# The headers come from libpinocchio, cmeel-boost and cmeel-eigen, so these are pinned along with pin itself.
packages="pin==4.1.0 libpinocchio==4.1.0 cmeel-boost==1.90.0 cmeel-eigen==3.4.1"

# Header-only, so that Pinocchio too gets this machine's instructions; its own binaries are made for any x86-64.
# The definitions are those its CMake files ask for.  -w because g++ warns about Eigen at such length that errors get lost.
# -mprefer-vector-width=256 is left out for both compilers, it gains nothing: on an AVX-512 machine clang 14 makes the very
# same binary with it, g++ 12 one that is as fast within the noise.
flags="-std=c++17 -O3 -march=native -DNDEBUG -w
    -DBOOST_MPL_LIMIT_LIST_SIZE=30 -DBOOST_MPL_LIMIT_VECTOR_SIZE=30
    -DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS -DBOOST_FUSION_INVOKE_MAX_ARITY=12"

[ $# = 1 ] || { echo "usage: $0 BUILD_DIR" >&2; exit 2; }
sources=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
build=$(cd "$1" && pwd)
log=$build/setup.log

# step TITLE HINT COMMAND...: runs it silently, unless it fails
step() {
    title=$1 hint=$2
    shift 2
    echo "pinocchio: $title" >&2
    "$@" >"$log" 2>&1 && return
    tail -n 30 "$log" >&2
    echo "pinocchio: FAILED: $title (the whole output: $log)" >&2
    echo "pinocchio: $hint" >&2
    exit 1
}

install_from_apt() {
    if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
        echo "pinocchio: missing: $*.  Install them in your system's way, e.g. sudo apt-get install $*, and run this again." >&2
        exit 1
    fi
    step "apt-get update" "Is there a network?  Otherwise install by hand: $*" apt-get update
    step "apt-get install $*" "Install these by hand, then run this again." \
        env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"
}

# up_to_date FILE IDENTITY: whether FILE was made from what IDENTITY tells (see made)
up_to_date() { [ -e "$1" ] && [ "$(cat "$1.made-from" 2>/dev/null)" = "$2" ]; }
made() { echo "$2" >"$1.made-from"; }

build_peer() { # OUTPUT COMPILER
    output=$build/$1 compiler=$2
    # With -march=native the processor is a source, too.
    identity=$({
        cat "$sources/peer.cpp" "$sources/model.hpp"
        echo "$packages $flags"
        "$compiler" --version
        grep -m 1 '^flags' /proc/cpuinfo
    } | sha256sum)
    up_to_date "$output" "$identity" && return
    prefix=$(echo "$build"/venv/lib/python3*/site-packages/cmeel.prefix)
    step "building ${output##*/} (2 to 4 minutes)" "A compiler that was killed had too little memory: it needs 5 GB." \
        nice -n 5 "$compiler" $flags -isystem "$prefix/include/eigen3" -isystem "$prefix/include" \
        "$sources/peer.cpp" -o "$output.new"
    mv "$output.new" "$output"
    made "$output" "$identity"
}

missing=""
command -v clang++ >/dev/null || missing="$missing clang"
command -v g++ >/dev/null || missing="$missing g++"
python3 -c 'import ensurepip, venv' 2>/dev/null || missing="$missing python3-venv"
[ -z "$missing" ] || install_from_apt $missing

identity="$packages, $(python3 --version), in $build"
if ! up_to_date "$build/venv" "$identity"; then
    step "python3 -m venv" "Does python3 -m venv work at all on this machine?" python3 -m venv --clear "$build/venv"
    step "pip install $packages" "Is there a network, and does its package index have these versions for your Python?" \
        "$build/venv/bin/pip" install --disable-pip-version-check $packages
    made "$build/venv" "$identity"
fi

build_peer peer-clang clang++
build_peer peer-gcc g++

#!/bin/sh
# Fetches the peer and the real models for ./bench load: setup.sh BUILD_DIR  ->  BUILD_DIR/venv
#
# Needs python3 with venv, and the network (pip, nothing else). Does only what is not up to date.
set -eu

# MuJoCo itself with what it needs; of the others only the files, which is what --no-deps gives
peer="mujoco==4.0.0"
models="dm_control==1.0.50 gymnasium_robotics==1.4.2 metaworld==3.1.1"

[ $# = 1 ] || { echo "usage: $0 BUILD_DIR" >&2; exit 2; }
mkdir -p "$1"
build=$(cd "$1" && pwd)
identity="$peer $models, $(python3 --version), in $build"
[ "$(cat "$build/made-from" 2>/dev/null)" = "$identity" ] && exit

echo "load: python3 -m venv; pip install $peer $models" >&2
python3 -m venv --clear "$build/venv"
"$build/venv/bin/pip" install --quiet --disable-pip-version-check $peer
"$build/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps $models
echo "$identity" >"$build/made-from"

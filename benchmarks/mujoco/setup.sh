#!/bin/sh
# Fetches and builds MuJoCo's side of ./bench mujoco: setup.sh BUILD_DIR  ->  BUILD_DIR/peer-mujoco and BUILD_DIR/models
#
# Needs python3 (3.11 or later) with venv, a C compiler, and the network (pip, nothing else). Does only what is not up to date.
set -eu

peer="mujoco==4.0.0"
models="dm_control==1.0.50 gymnasium==1.4.0 gymnasium_robotics==1.4.2"

[ $# = 1 ] || { echo "usage: $0 BUILD_DIR" >&2; exit 2; }
sources=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
build=$(cd "$1" && pwd)
compiler=${CC:-cc}
command -v "$compiler" >/dev/null || { echo "mujoco: a C compiler is missing (Debian and Ubuntu: apt install gcc)" >&2; exit 1; }
identity="$peer $models, $(python3 --version), in $build, $(cat "$sources/peer.c" "$0" | cksum)"
[ "$(cat "$build/made-from" 2>/dev/null)" = "$identity" ] && exit

echo "mujoco: python3 -m venv; pip install $peer $models" >&2
python3 -m venv --clear "$build/venv"
"$build/venv/bin/pip" install --quiet --disable-pip-version-check "$peer"
# of these only the files
"$build/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --target "$build/models" --upgrade $models
package=$("$build/venv/bin/python" -c 'import mujoco; print(mujoco.__path__[0])')
library=$(ls "$package"/libmujoco.so.* "$package"/libmujoco.*.dylib 2>/dev/null | head -n 1)
"$compiler" -O3 -march=native -std=c11 -D_GNU_SOURCE -I "$package/include" -o "$build/peer-mujoco" "$sources/peer.c" \
    "$library" "-Wl,-rpath,$package" -lm
echo "$identity" >"$build/made-from"

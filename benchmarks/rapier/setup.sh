#!/bin/sh
# Fetches and builds Rapier's side of ./bench rapier: setup.sh BUILD_DIR  ->  BUILD_DIR/peer-rapier-f32 and BUILD_DIR/peer-rapier-f64
#
# Needs cargo and the network (crates.io). Built for this very processor, in one code unit. Does only what is not up to date.
set -eu

[ $# = 1 ] || { echo "usage: $0 BUILD_DIR" >&2; exit 2; }
sources=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
build=$(cd "$1" && pwd)
identity="$(cargo --version), in $build, $(cat "$sources/Cargo.toml" "$sources/src/main.rs" "$0" | cksum)"
[ "$(cat "$build/made-from" 2>/dev/null)" = "$identity" ] && exit

mkdir -p "$build/source/src"
cp "$sources/Cargo.toml" "$build/source"
cp "$sources/src/main.rs" "$build/source/src"
for numbers in f64 f32; do
  echo "rapier: cargo build --release --features $numbers" >&2
  (cd "$build/source" && CARGO_TARGET_DIR="$build/target" RUSTFLAGS="-C target-cpu=native" \
    cargo build --release --quiet --features "$numbers")
  cp "$build/target/release/peer-rapier" "$build/peer-rapier-$numbers"
done
echo "$identity" >"$build/made-from"

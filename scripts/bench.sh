#!/bin/sh
# Measures, prints the table and leaves the numbers in <build>/bench.json. Usage: scripts/bench.sh BUILD_DIR [arguments of crosslane_bench]
set -eu
build=$1
shift
echo "crosslane_bench: about three minutes; a quiet machine gives better numbers. Machine: $(nproc) cores,$(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2)"
exec "$build/bin/crosslane_bench" --json "$build/bench.json" "$@"

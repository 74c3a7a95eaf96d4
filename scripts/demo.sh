#!/usr/bin/env bash
# The demonstration: three GPU programs from examples/ are compiled for the GPU, run on this CPU, and their results
# compared with what plain Python says. Usage: demo.sh CROSSLANE. Exit status 1 when anything differs.
set -euo pipefail
crosslane=$(realpath "$1")
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Bold for a terminal, unless it is not wanted (no-color.org).
bold='' plain=''
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then bold=$'\033[1m' plain=$'\033[0m'; fi
say() { printf '\n%s%s%s\n' "$bold" "$*" "$plain"; }
launch() {
  printf '  $ crosslane launch'
  printf ' %q' "$@" | sed "s|$work/||g; s|\\\\\([][,]\)|\1|g"
  echo
  # The directory of this clone adds nothing to the table.
  "$crosslane" launch "$@" | sed "s|$PWD/||g; s/^/    /"
}

say "Inputs and expected results: random numbers and plain Python (scripts/demo_data.py)"
python3 scripts/demo_data.py "$work"

say "1. Vector add, OpenCL C: 1,000,003 elements, the last wavefront partly empty"
echo "  clang compiles it for gfx900; crosslane runs that machine code and compares every element."
launch examples/vector_add.cl --target gfx900 --grid 1000192 --block 256 \
  a=@"$work"/a.npy b=@"$work"/b.npy c=f32[1000003] n=1000003 --expect c="$work"/sum.npy --print c:4 --stats

say "2. if/else, assembly: which branches divide a wavefront?"
echo "  Lanes below 32 take the if, the others the else: each wavefront diverges."
launch examples/if_else.s --kernel if_else --grid 4096 --block 64 in=@"$work"/in.npy out=u32[4096] limit=32 \
  --expect out="$work"/halves.npy --profile branches
echo
echo "  The condition 'x > 63' holds for no lane: all agree on the else."
launch examples/if_else.s --kernel if_else_above --grid 4096 --block 64 in=@"$work"/in.npy out=u32[4096] limit=63 \
  --expect out="$work"/else.npy --profile branches

say "3. Prefix sum of a wavefront by DPP, assembly: lanes read each other's registers"
for target in gfx803 gfx900 gfx906; do
  launch examples/dpp_prefix_sum.s --target $target --grid 65536 --block 64 in=@"$work"/f.npy out=f32[65536] \
    --expect out="$work"/scan.npy --print out:8
done

say "All results are right."

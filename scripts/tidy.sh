#!/usr/bin/env bash
# Runs clang-tidy on the sources named after BUILD_DIR and JOBS, or on all of ours. CHECKS=-clang-analyzer-* leaves out the checks that
# take most of the time.
# What is compiled once per x86-64 level is checked once.
set -euo pipefail
build=$1 jobs=$2
shift 2
cd "$(dirname "$0")/.."
mkdir -p build
if ! cmake --preset "$(basename "$build")" >build/configure-tidy.log 2>&1; then
  cat build/configure-tidy.log
  exit 1
fi
if [ $# -eq 0 ]; then
  mapfile -t files < <(git ls-files '*.cpp')
else
  files=("$@")
fi
# Only what the build knows: a source without compile flags cannot be checked.
known=()
for file in "${files[@]}"; do
  if grep -q "\"file\": \"$PWD/$file\"" "$build/compile_commands.json"; then known+=("$file"); fi
done
# As if nothing were precompiled: what a source includes is to be enough.
mkdir -p "$build/tidy"
sed -E 's/ -Winvalid-pch( -Xclang [^ "]+){4}//' "$build/compile_commands.json" >"$build/tidy/compile_commands.json"
echo "clang-tidy on ${#known[@]} sources, $jobs at a time"
printf '%s\n' "${known[@]}" | xargs -P "$jobs" -I{} sh -c \
  'echo "  $2"; clang-tidy-19 --quiet ${CHECKS:+"--checks=$CHECKS"} -p "$1" "$2" 2>&1 | grep -v "warnings generated\|^Suppressed\|^Use -header" ; exit 0' tidy "$build/tidy" {} \
  | tee build/tidy.log
if grep -q 'error:' build/tidy.log; then
  echo "clang-tidy found problems (also in build/tidy.log)"
  exit 1
fi

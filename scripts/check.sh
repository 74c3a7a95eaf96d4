#!/usr/bin/env bash
# What to run before a commit, in well under a minute: layout, the rules of the tree, clang-tidy on the sources that differ from BASE
# (default: where the branch left origin/main, or the last commit), and the house tests of BUILD if it is built.
# Usage: check.sh [BUILD [JOBS [BASE]]]
set -euo pipefail
build=${1:-build/release} jobs=${2:-$(nproc)}
cd "$(dirname "$0")/.."
base=${3:-$(git merge-base HEAD origin/main 2>/dev/null || true)}
if [ -z "$base" ] || [ "$base" = "$(git rev-parse HEAD)" ]; then base=HEAD; fi
failed=0
step() { # step(what, command...)
  echo "== $1"
  shift
  "$@" || failed=1
}
step "layout" scripts/check-format.sh
step "layers" scripts/check-layers.py
step "text" scripts/check-text.py
step "permutes" scripts/check-permutes.py
mapfile -t changed < <({ git diff --name-only --diff-filter=d "$base" -- '*.cpp'; git ls-files --others --exclude-standard -- '*.cpp'; } | sort -u)
if [ ${#changed[@]} -gt 0 ]; then
  step "clang-tidy, without its analyzer, on what differs from ${base:0:12}" env CHECKS='-clang-analyzer-*' scripts/tidy.sh "$build" "$jobs" "${changed[@]}"
fi
if [ -e "$build/CTestTestfile.cmake" ] && [ -e "$build/bin/crosslane" ]; then
  step "house tests of $build" ctest --test-dir "$build" -R '^house\.' -j "$jobs" --output-on-failure --no-tests=error
else
  echo "== house tests: not run, $build is not built (make build)"
fi
exit $failed

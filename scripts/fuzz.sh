#!/usr/bin/env bash
# Runs every fuzzer of BUILD_DIR (bin/fuzz_*) for FUZZ_SECONDS each (30 unless set), growing a corpus under
# BUILD_DIR/corpus that the next run starts from, beside the real inputs in BUILD_DIR/seeds. A crash leaves its input
# in the corpus and ends the run.
set -euo pipefail
build=$1
seconds=${FUZZ_SECONDS:-30}
shopt -s nullglob
export ASAN_OPTIONS=detect_container_overflow=0:allocator_may_return_null=1
fuzzers=("$build"/bin/fuzz_*)
if [ ${#fuzzers[@]} -eq 0 ]; then
  echo "fuzz: there are no fuzzers in $build/bin" >&2
  exit 1
fi
for fuzzer in "${fuzzers[@]}"; do
  name=$(basename "$fuzzer")
  corpus=$build/corpus/$name
  mkdir -p "$corpus"
  echo "$name: $seconds s"
  log=$build/$name.log
  inputs=("$corpus")
  [ -d "$build/seeds/$name/" ] && inputs+=("$build/seeds/$name/")
  if ! "$fuzzer" -max_total_time="$seconds" -artifact_prefix="$corpus/" -print_final_stats=1 "${inputs[@]}" >"$log" 2>&1; then
    tail -n 40 "$log"
    echo "$name found a failure; the input is the crash-*, leak-* or oom-* file in $corpus" >&2
    exit 1
  fi
  grep 'number_of_executed_units' "$log" | sed 's/.*: */  inputs tried: /'
done

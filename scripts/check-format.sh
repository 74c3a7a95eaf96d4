#!/usr/bin/env bash
# Checks that sources are laid out as clang-format 19 lays them out (.clang-format): those named, or all. `make format` does it.
# Rows (.inc) are aligned by hand and not looked at.
set -euo pipefail
root="$(cd "$(dirname "$0")/.." && pwd)"
cd "$root"
if [ $# -gt 0 ]; then files=("$@"); else
  mapfile -t files < <(find src python tests bench examples -type f \( -name '*.h' -o -name '*.cpp' \) | sort)
fi
bad=$(printf '%s\n' "${files[@]}" | xargs -r -P "$(nproc)" -n 40 clang-format-19 --dry-run 2>&1 | sed -n 's/: warning: code should be clang-formatted.*//p' |
  sort -t: -k1,1 -k2,2n -u | awk -F: '!seen[$1]++') || true
if [ -n "$bad" ]; then
  echo "$bad"
  echo "$(wc -l <<<"$bad") file(s) are not as clang-format-19 lays them out (first place of each above): make format"
  exit 1
fi

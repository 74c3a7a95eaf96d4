#!/usr/bin/env bash
# Makes the pictures of the HTML report in docs/images, from real runs of the examples. Usage: report-screenshots.sh [CROSSLANE [NAME...]]
# Needs the page's npm packages, which the build has in build/release/web/page, and Chromium (CHROMIUM=/usr/bin/chromium).
set -euo pipefail
repository=$(realpath "$(dirname "$0")/..")
crosslane=$(realpath "${1:-$repository/build/release/bin/crosslane}")
work=$(dirname "$crosslane")/../web/page
[ -x "$work/node_modules/.bin/vite-node" ] || { echo "report-screenshots: no npm packages in $work; run 'make build' first" >&2; exit 1; }
out=$repository/docs/images
cd "$work"
node_modules/.bin/vite-node e2e/screenshots.ts "$crosslane" "$repository/examples" "$out" "${@:2}"
# A quarter of the size, if the tool is there.
if command -v pngquant >/dev/null; then
  pngquant --force --ext .png --skip-if-larger --quality 70-95 "$out"/report-{light,dark,large}.png "$out"/lane-viewer.png || true
fi

#!/usr/bin/env bash
# Installs the packages of `make deb` into a minimal Debian 12 of its own, uses them as a user would, removes them, and looks for what is
# left. As root, with the archive of Debian within reach; some minutes, 2 GB of disk for as long as it runs.
# Usage: test-deb.sh CROSSLANE PACKAGES        CROSSLANE: the command of the build, which makes a code object to be launched
set -euo pipefail
crosslane=$(realpath "$1") packages=$(realpath "$2")
cd "$(dirname "$0")/.."
[ "$(id -u)" -eq 0 ] || { echo "test-deb: only root may make a system to install into" >&2; exit 1; }

# In a mount namespace of its own, so that nothing stays mounted whatever happens.
if [ -z "${CROSSLANE_TEST_DEB:-}" ]; then
  CROSSLANE_TEST_DEB=1 exec unshare --mount --pid --fork --kill-child "$0" "$crosslane" "$packages"
fi
root=$(mktemp -d)
trap 'umount -R "$root/proc" "$root/dev" 2>/dev/null || true; rm -rf --one-file-system "$root"' EXIT

log=$(mktemp)
inside() { chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }
# step(what, command...): how long it took; what it printed only if it fails, and into $log
step() {
  local what=$1 begin=$EPOCHREALTIME
  shift
  if ! "$@" >"$log" 2>&1; then
    cat "$log" >&2
    echo "test-deb: failed: $what" >&2
    exit 1
  fi
  awk -v a="$begin" -v b="$EPOCHREALTIME" -v what="$what" 'BEGIN { printf "  %7.1f s  %s\n", b - a, what }'
}
prints() { grep -qF -- "$1" "$log" || { cat "$log" >&2; echo "test-deb: '$1' was not printed" >&2; exit 1; }; }
# All that is there, but for what apt and the system write by themselves, and the user's own cache of compiled kernels.
listing() {
  (cd "$root" && find . -xdev \( -path ./proc -o -path ./dev -o -path ./tmp -o -path ./var/lib/apt -o -path ./var/cache -o -path ./var/log \
    -o -path ./var/lib/dpkg -o -path ./etc/ld.so.cache -o -path ./root/.cache -o -path ./packages \) -prune -o -print) | sort
}

# From where this system's packages come.
mapfile -t sources < <(find /etc/apt/sources.list /etc/apt/sources.list.d -type f \( -name '*.list' -o -name '*.sources' \) -size +0 2>/dev/null)
step "a minimal Debian 12" mmdebstrap --quiet --variant=apt bookworm "$root" "${sources[@]}"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mkdir "$root/packages"
cp "$packages"/*.deb "$root/packages"
ours=$(for package in "$root"/packages/*.deb; do dpkg-deb -f "$package" Package; done)
"$crosslane" asm examples/if_else.s -o "$root/packages/if_else.co"
step "apt-get update, man-db, bash-completion" inside sh -c 'apt-get update && apt-get install -y --no-install-recommends man-db bash-completion'
listing >"$root/packages/before"

inside apt-get clean
size_before=$(du -skx "$root" | cut -f1)
step "install, without what is recommended" inside sh -c 'apt-get install -y --no-install-recommends /packages/*.deb'
inside apt-get clean
echo "             $(($(du -skx "$root" | cut -f1) - size_before)) KiB more, with the libraries that Debian's packages bring"
launch=(crosslane launch /packages/if_else.co --kernel if_else --grid 256 --block 64 'in=u32[256]:iota' 'out=u32[256]' limit=32 --print out:4)
examples=/usr/share/doc/crosslane/examples
step "crosslane --version" inside crosslane --version
prints "crosslane 0."
step "launch a code object" inside "${launch[@]}"
prints "out = u32[256]"
step "... compiled" inside env CROSSLANE_JIT=always "${launch[@]}" --stats
prints "compiled: 1 kernel"
step "... with a profile as a page" inside "${launch[@]}" --profile all --html /tmp/page.html
grep -q '</html>' "$root/tmp/page.html"
step "lint it" inside crosslane lint /packages/if_else.co
step "launch it from Python" inside python3 -c '
import crosslane, numpy
out = numpy.zeros(256, numpy.uint32)
crosslane.load("/packages/if_else.co").if_else[256, 64](numpy.arange(256, dtype=numpy.uint32), out, 32)
print(out[:4].tolist(), out.any())'
prints "True"
step "manual pages" inside man -w crosslane crosslane-launch crosslane-run
step "completion" inside bash -c '. /usr/share/bash-completion/bash_completion; _completion_loader crosslane; complete -p crosslane'
step "source without a compiler is one clear error" inside sh -c "! crosslane launch $examples/vector_add.cl --grid 64 a=[64] b=[64] c=[64] n=64"
prints "install Debian's package clang-19"

step "install clang-19, lld-19, libclc-19, rocminfo" inside apt-get install -y --no-install-recommends clang-19 lld-19 libclc-19 rocminfo
step "lint assembly" inside crosslane lint $examples/if_else.s
step "launch OpenCL C" inside crosslane launch $examples/vector_add.cl --grid 64 'a=[64]:iota' 'b=[64]:1' 'c=[64]' n=64 --print c:4
prints "1 2 3 4"
step "install pkg-config, libc6-dev" inside apt-get install -y --no-install-recommends pkg-config libc6-dev
step "a C program with the library" inside sh -c "clang-19 $examples/library/vector_add.c \$(pkg-config --cflags --libs crosslane) -o /tmp/vector_add && /tmp/vector_add $examples/vector_add.cl"
prints "c[999] = 1000"
step "run an HSA program on the emulated GPU" inside crosslane run --gpu vega20 -- rocminfo
prints "gfx906"
step "... which Debian's runtime does not show" inside sh -c 'rocminfo; true'
! grep -q gfx906 "$log"

# As docs/installing.md and docs/running.md tell a newcomer to: a copy of the folder that has docs/ and examples/.
trial=/tmp/trial
step "install hipcc, libamdhip64-dev, rocm-device-libs, cmake, make, openmpi-bin" inside apt-get install -y --no-install-recommends \
  hipcc libamdhip64-dev rocm-device-libs g++ cmake make openmpi-bin
step "build a HIP project" inside sh -c "cp -r /usr/share/doc/crosslane $trial && cd $trial \
  && cmake -S examples/hip -B matmul-build -DCMAKE_CXX_COMPILER=hipcc -DCMAKE_CXX_FLAGS=--offload-arch=gfx900 && cmake --build matmul-build"
step "its ctest on the emulated GPU" inside sh -c "cd $trial && crosslane env --gpu vega10 --check memory,sync --error-exitcode 99 >variables && . ./variables \
  && ctest --test-dir matmul-build --output-on-failure"
prints "100% tests passed"
step "capture a dispatch of its program" inside sh -c "cd $trial && crosslane run --capture captured -- matmul-build/matmul 128 96"
step "replay it" inside crosslane replay $trial/captured --expect
prints "as captured"
step "replay it in ranges, by MPI" inside mpirun --allow-run-as-root --oversubscribe -n 2 crosslane replay $trial/captured --mpi --ranges 8 --expect
prints "same"

# shellcheck disable=SC2086
step "purge" inside apt-get purge -y $ours
left=$(listing | comm -13 "$root/packages/before" - | grep -i crosslane || true)
if [ -n "$left" ]; then
  echo "test-deb: left behind:" >&2
  echo "$left" >&2
  exit 1
fi
echo "All packages were installed, used and removed, and nothing of theirs is left."

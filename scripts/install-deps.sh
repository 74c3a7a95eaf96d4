#!/usr/bin/env bash
# Installs the Debian packages that building and testing need, and says why each one is there. Does nothing, in well
# under a second, when all are present. Groups add to that: `scripts/install-deps.sh tools` what `make format` and `make
# tidy` use, `docs` what `make docs` does, `packages` what `make deb` and `make test-deb` do, `programs` the compilers of
# tests/programs (half a gigabyte), `python` what the Python module is built and tested with, `rocsparse` one library for an
# optional test.
set -euo pipefail

# package: why
base='
make: the front door
git: version control; `make format` asks it which files are ours
clang-19: the C++ compiler; also compiles OpenCL C and HIP kernels for the GPU
clang-tools-19: clang-offload-bundler, which clang runs to pack HIP device code for several GPUs
lld-19: the linker, for the host and for GPU code
cmake: configures the build
ninja-build: runs the build
ccache: makes every build after the first one short
pkg-config: finds libraries without a CMake package
llvm-19-dev: assembler, ELF, DWARF and MessagePack readers (linked statically)
zlib1g-dev: LLVM decompresses with it (object files)
libzstd-dev: ... and with it
libclang-rt-19-dev: sanitizers and libFuzzer: the asan, tsan and fuzz builds
libclc-19: OpenCL C library for the GPU: what kernels in .cl files link against
libclc-19-dev: the part of it for each processor
libcli11-dev: reads the command line
libfmt-dev: formats text
nlohmann-json3-dev: writes JSON
libtomlplusplus-dev: reads launch descriptions in TOML
libseccomp-dev: makes the filter of `launch --sandbox` (linked statically)
libtbb-dev: spreads workgroups over the cores
libgtest-dev: the test framework
clang-format-19: make format; a test checks the layout of all sources
libmpfr-dev: correctly rounded arithmetic: the oracle of float instructions
libbenchmark-dev: the benchmark framework
libhsa-runtime-dev: the headers of the HSA runtime, for which hsa/ is a replacement
libhwy-dev: another library of vector operations: `make bench` compares lanes/ with it
llvm-19: llvm-mc, llvm-objdump and others, which the tests compare against
python3: runs the checks in scripts/
opencl-headers: the comparison with PoCL is an OpenCL host program
ocl-icd-opencl-dev: ... and links the OpenCL loader
pocl-opencl-icd: runs the same OpenCL C on the CPU: the oracle of whole kernels
oclgrind: another OpenCL on the CPU: the slow end of `make bench`
'
# Debian's ROCm 5.2 and the other compilers that make programs for AMD GPUs: `make test` compiles and runs such programs.
programs='
hipcc: compiles HIP, for all cards at once (brings clang-15)
libamdhip64-dev: HIP itself, the unmodified library that runs on ours
rocm-device-libs: what kernels in OpenCL C and HIP, and in OpenMP by LLVM, link
rocminfo: a test runs it
librocrand-dev: a test runs its kernels, which AMD compiled
librocprim-dev: a test compiles its templates
gcc-12: OpenMP and OpenACC in C; amdgcn offloading is of the same version
g++-12: ... in C++
gfortran-12: ... in Fortran
gcc-12-offload-amdgcn: the compiler and the libraries for the GPU
libgomp-plugin-amdgcn1: lets its programs find the HSA runtime
chromium: a test opens HTML reports in it
libopenmpi-dev: replays by several processes, `--mpi`
openmpi-bin: ... and mpirun
libomp-19-dev: OpenMP of clang-19; there can only be one libomp-*-dev, another version gives way to it
'
python='
python3-dev: headers, for the Python module
pybind11-dev: ... which is written with it
python3-numpy: arrays of its users, and the oracle of its tests
python3-pytest: runs them; there is a plugin for it
python3-pandas: a test makes tables of results with it
mypy: a test checks types with it
python3-pip: makes a wheel of it
python3-setuptools: ... by this
python3-wheel: ... and this
'
rocsparse='
librocsparse-dev: its product of a sparse matrix and a vector, on 1.3 GB of disk
'
docs='
doxygen: make docs
'
# What `make deb` and `make test-deb` use; the tests use the shells and judges of manual pages where they are installed.
packages='
dpkg-dev: dpkg-shlibdeps: what packages depend on
libopenmpi-dev: what crosslane-mpi is built with
lintian: judges packages
mmdebstrap: makes a Debian to install them in
groff: judges manual pages
man-db: ... shows them
mandoc: ... judges them too
zsh: a test completes words in it
fish: ... and in it
'
tools='
clang-tidy-19: make tidy
'

wanted=$base
# Debian 12 has Node.js 18; one that is there from elsewhere, which brings its own npm and conflicts with Debian's, will do.
if ! { command -v node && command -v npm; } >/dev/null; then
  wanted+='nodejs: builds the page of the HTML report, which the binary holds
npm: ... and fetches what that page is made with
'
fi
for group in "$@"; do
  case $group in
    docs) wanted+=$docs ;;
    tools) wanted+=$tools ;;
    packages) wanted+=$packages ;;
    programs) wanted+=$programs ;;
    python) wanted+=$python ;;
    rocsparse) wanted+=$rocsparse ;;
    *) echo "install-deps: unknown group '$group'; there are 'docs', 'packages', 'programs', 'python', 'rocsparse' and 'tools'" >&2; exit 2 ;;
  esac
done

if ! command -v dpkg-query >/dev/null; then
  echo "install-deps: this is not a Debian system; going on with what is installed. The list of packages is in $0" >&2
  exit 0
fi

names=$(sed -n 's/:.*//p' <<<"$wanted")
# dpkg-query exits 1 when it does not know a package: that is the question, not an error.
# shellcheck disable=SC2086
present=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' $names 2>/dev/null | sed -n 's/^installed //p' || true)
missing=$(comm -23 <(sort -u <<<"$names") <(sort -u <<<"$present") | sed '/^$/d')
[ -z "$missing" ] && exit 0

count=$(wc -l <<<"$missing")
if [ "$(id -u)" -ne 0 ]; then
  echo "install-deps: $count Debian package(s) are missing and only root may install them. Run:" >&2
  echo "  sudo apt-get update && sudo apt-get install --no-install-recommends -y" $missing >&2
  exit 1
fi

echo "Installing $count Debian package(s):"
for name in $missing; do
  printf '  %-22s %s\n' "$name" "$(sed -n "s/^$name: //p" <<<"$wanted")"
done
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt-get update -q >"$log" 2>&1 || echo "install-deps: apt-get update failed; trying with the package lists at hand" >&2
# shellcheck disable=SC2086
if ! apt-get install -q -y --no-install-recommends $missing >"$log" 2>&1; then
  tail -n 30 "$log" >&2
  echo "install-deps: apt-get install failed; its last lines are above. Needed: Debian 12 (bookworm) with component main" >&2
  exit 1
fi
echo "Installed."

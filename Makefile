# The front door: every job has one command. The work is done by CMake presets and by scripts/.
PREFIX ?= /usr/local
# Tests and compile jobs at once; JOBS=1 for a small machine.
JOBS ?= $(shell nproc)
.DEFAULT_GOAL := help
.PHONY: help deps build test test-all test-lanes demo differential bench validate-timing check docs format tidy wheel install deb test-deb asan tsan fuzz clean

help:
	@echo 'crosslane: GCN GPU machine code on an ordinary CPU'
	@echo
	@echo '  make demo            install packages, build, run three GPU kernels and check them'
	@echo '  make test            install packages, build, run the tests but for those that take long'
	@echo '  make test-all        all tests, those of lanes/ for all of its instruction sets'
	@echo '  make test-lanes      the tests of lanes/, for all of its instruction sets'
	@echo '  make build           build/release/bin/crosslane'
	@echo '  make differential    random kernels on PoCL and here: COUNT=2000 SEED=1 TARGETS=gfx803,gfx900,gfx906'
	@echo '  make validate-timing  compare the cycle model with measurements of cards; writes docs/timing-validation.md'
	@echo '  make bench           measure; prints a table beside plain C++, PoCL and Oclgrind, and lanes/ beside others'
	@echo '  make docs            reference of the library, build/docs/html (Doxygen)'
	@echo '  make wheel           the Python module as a wheel, build/release/python/crosslane-*.whl'
	@echo '  make install         install under PREFIX=$(PREFIX)'
	@echo '  make deb             Debian packages in build/release/packages; make test-deb tries them out'
	@echo '  make asan|tsan       the tests under AddressSanitizer+UBSan, or ThreadSanitizer'
	@echo '  make fuzz            build the libFuzzer targets and run each for FUZZ_SECONDS=30'
	@echo '  make check           before a commit, under a minute: layout, rules, clang-tidy on what changed (BASE=commit)'
	@echo '  make format          clang-format on every source'
	@echo '  make tidy            clang-tidy on every source'
	@echo '  make clean           remove build/'
	@echo
	@echo 'JOBS=$(JOBS) limits how much runs at once.'

deps:
	@scripts/install-deps.sh

# build_preset(preset[, target[, options of cmake]]): quiet unless something is wrong
define build_preset
@mkdir -p build && { cmake --preset $(1) $(3) >build/configure-$(1).log 2>&1 || { cat build/configure-$(1).log; exit 1; }; }
@cmake --build --preset $(1) -j $(JOBS) $(if $(2),--target $(2))
endef

# test_preset(preset[, test preset]): and at the end once more what the tests that failed printed
define test_preset
@ctest --preset $(or $(2),$(1)) -j $(JOBS) || { scripts/failed-tests.py build/$(1); exit 1; }
endef

build: deps
	$(call build_preset,release,crosslane)

test:
	@scripts/install-deps.sh programs python
	$(call build_preset,release)
	$(call test_preset,release)

every_lanes_level := -DCROSSLANE_EVERY_LANES_LEVEL=ON

test-all:
	@scripts/install-deps.sh programs python
	$(call build_preset,release,,$(every_lanes_level))
	$(call test_preset,release,all)

test-lanes: deps
	$(call build_preset,release,tests/lanes/all,$(every_lanes_level))
	@ctest --preset all -j $(JOBS) -L '^lanes'

demo: build
	@scripts/demo.sh build/release/bin/crosslane

COUNT ?= 2000
SEED ?= 1
TARGETS ?= gfx803,gfx900,gfx906
differential: deps
	$(call build_preset,release,crosslane_differential)
	@build/release/bin/crosslane_differential --count $(COUNT) --seed $(SEED) --targets $(TARGETS)

validate-timing: deps
	$(call build_preset,release,crosslane)
	@tests/timing/validate/validate.py build/release/bin/crosslane --markdown docs/timing-validation.md

bench: deps
	@scripts/install-deps.sh programs
	$(call build_preset,release,crosslane crosslane_bench crosslane_hsa_bench crosslane_lanes_bench)
	@build/release/bin/crosslane_bench --json build/bench.json
	@build/release/bin/crosslane_hsa_bench
	@CROSSLANE_THREADS=1 CROSSLANE_JIT=always build/release/bin/crosslane run --gpu vega10 -- build/release/bench/hsa/fills_hip
	@scripts/profile-overhead.py --crosslane build/release/bin/crosslane
	@build/release/bin/crosslane_lanes_bench --json build/bench-lanes.json

asan tsan: deps
	$(call build_preset,$@)
	$(call test_preset,$@)

fuzz: deps
	$(call build_preset,fuzz)
	@scripts/fuzz.sh build/fuzz

wheel:
	@scripts/install-deps.sh python
	$(call build_preset,release,crosslane_wheel)
	@ls build/release/python/*.whl

deb: deps
	@scripts/install-deps.sh packages python
	$(call build_preset,release,crosslane crosslane_so crosslane_mpi crosslane_python)
	@rm -rf build/release/packages && cd build/release && cpack --config CPackConfig.cmake >cpack.log 2>&1 || { cat cpack.log; exit 1; }
	@lintian --fail-on error,warning --allow-root build/release/packages/*.deb
	@ls -l build/release/packages/*.deb

test-deb: deb
	@scripts/test-deb.sh build/release/bin/crosslane build/release/packages

install: build
	@cmake --install build/release --prefix $(PREFIX)

docs:
	@scripts/install-deps.sh docs
	@mkdir -p build && doxygen docs/reference/Doxyfile && echo build/docs/html/index.html

check:
	@scripts/install-deps.sh tools
	@scripts/check.sh build/release $(JOBS) $(BASE)

format:
	@scripts/install-deps.sh tools
	@git ls-files '*.h' '*.cpp' | xargs clang-format-19 -i

tidy:
	@scripts/install-deps.sh tools
	@scripts/tidy.sh build/release $(JOBS)

clean:
	rm -rf build

# Compiler settings shared by every target. Link them with crosslane_options.
set(CROSSLANE_SANITIZE "" CACHE STRING "Value for -fsanitize=, e.g. address,undefined")
option(CROSSLANE_EVERY_LANES_LEVEL "Build the tests of lanes/ for all of its instruction sets, and for Zen 3 and 5" OFF)
option(CROSSLANE_FUZZ "Build libFuzzer targets with coverage instrumentation" OFF)

add_library(crosslane_options INTERFACE)
target_include_directories(crosslane_options INTERFACE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR})
target_compile_options(crosslane_options INTERFACE
  -Wall -Wextra -Werror -Wno-psabi -Wno-unused-parameter -Wno-missing-field-initializers
  -ffp-contract=off -fno-math-errno -fno-strict-aliasing)
# A wild store, of a kernel or of ours, finds no address that it could know and no writable pointer to code of the loader's:
# house.hardening checks it. Relocations are packed, so that the start reads 8 KB of them and not 900.
include(CheckPIESupported)
check_pie_supported()
add_link_options(-Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack -Wl,-z,pack-relative-relocs)
# LLVM names libz3 and others that nothing of ours calls: loading them would cost a millisecond at every start.
target_link_options(crosslane_options INTERFACE -Wl,--as-needed)
if(CROSSLANE_SANITIZE)
  # nonnull-attribute: a guest may pass address 0 to our memcpy; that is its fault to have, and the tests do it.
  # pass-failed: what is instrumented has more branches than LLVM unrolls.
  # vptr, function: what LLVM and our part beside it (no RTTI) make, and code that is compiled at run time, have no types to look at.
  target_compile_options(crosslane_options INTERFACE
    -fsanitize=${CROSSLANE_SANITIZE} -fno-sanitize-recover=undefined -fno-sanitize=nonnull-attribute,vptr,function -fno-omit-frame-pointer
    -Wno-error=pass-failed)
  target_link_options(crosslane_options INTERFACE -fsanitize=${CROSSLANE_SANITIZE})
endif()
if(CROSSLANE_FUZZ)
  target_compile_options(crosslane_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

# crosslane_layer(NAME sources... [LINK libs...]): one static library per layer.
function(crosslane_layer name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_library(crosslane_${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(crosslane_${name} PUBLIC crosslane_options ${ARG_LINK})
endfunction()

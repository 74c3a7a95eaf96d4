# Everything that comes from Debian; scripts/install-deps.sh installs it.
set(LLVM_DIR /usr/lib/llvm-19/lib/cmake/llvm CACHE PATH "LLVM 19 CMake package")
find_package(LLVM 19.1 REQUIRED CONFIG)
add_library(crosslane_llvm_headers INTERFACE)
target_include_directories(crosslane_llvm_headers SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
separate_arguments(llvm_definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
target_compile_definitions(crosslane_llvm_headers INTERFACE ${llvm_definitions})

# crosslane_llvm(TARGET components...): links static LLVM components. Static, because relocating
# libLLVM-19.so alone would cost more than our whole start-up budget.
function(crosslane_llvm target)
  llvm_map_components_to_libnames(libs ${ARGN})
  target_link_libraries(${target} PUBLIC crosslane_llvm_headers ${libs})
endfunction()

find_package(TBB REQUIRED)
find_package(CLI11 REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(tomlplusplus REQUIRED IMPORTED_TARGET tomlplusplus)
pkg_check_modules(mpfr REQUIRED IMPORTED_TARGET mpfr>=4.2)
# Static: one library more to load would cost every start, and only `launch --sandbox` calls it.
find_library(CROSSLANE_SECCOMP libseccomp.a REQUIRED)
add_library(seccomp STATIC IMPORTED)
set_target_properties(seccomp PROPERTIES IMPORTED_LOCATION ${CROSSLANE_SECCOMP})
find_package(GTest REQUIRED)
find_package(benchmark QUIET)
include(GoogleTest)

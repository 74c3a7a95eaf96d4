# Debian packages, one for each component of the installation: `make deb`. A row names them; cmake/PackageFiles.cmake adds what
# each has beside what is installed: copyright, changelogs.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME ${PROJECT_NAME})
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "The crosslane authors <crosslane@packages.invalid>")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/lib) # libcrosslane.so.1, of which DEPENDS says more
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/PackageFiles.cmake)
set(CPACK_CROSSLANE_SOURCE ${PROJECT_SOURCE_DIR})
set(CPACK_CROSSLANE_REPORT ${PROJECT_BINARY_DIR}/web/report.html)

# lanes is a project of its own, which says its version once more.
get_directory_property(lanes_version DIRECTORY src/lanes DEFINITION PROJECT_VERSION)
if(NOT lanes_version VERSION_EQUAL PROJECT_VERSION)
  message(FATAL_ERROR "src/lanes/CMakeLists.txt: version ${lanes_version} is not crosslane's ${PROJECT_VERSION}")
endif()
set(this "(= ${PROJECT_VERSION})") # parts of one build, which check that they are
get_cmake_property(installed COMPONENTS)
set(CPACK_COMPONENTS_ALL)

# crosslane_package(COMPONENT NAME SUMMARY DESCRIPTION [DEPENDS ...] [RECOMMENDS ...] [SUGGESTS ...] [ARCHITECTURE all] [SECTION name]
# [SHARED_LIBRARY]): a component that nothing installs has no package.
macro(crosslane_package component name summary description)
  if(${component} IN_LIST installed)
    cmake_parse_arguments(ARG "SHARED_LIBRARY" "ARCHITECTURE;SECTION" "DEPENDS;RECOMMENDS;SUGGESTS" ${ARGN})
    list(APPEND CPACK_COMPONENTS_ALL ${component})
    string(TOUPPER ${component} row)
    set(CPACK_DEBIAN_${row}_PACKAGE_NAME ${name})
    set(CPACK_DEBIAN_${row}_DESCRIPTION "${summary}\n${description}")
    foreach(relation DEPENDS RECOMMENDS SUGGESTS)
      list(JOIN ARG_${relation} ", " CPACK_DEBIAN_${row}_PACKAGE_${relation})
    endforeach()
    if(ARG_ARCHITECTURE)
      set(CPACK_DEBIAN_${row}_PACKAGE_ARCHITECTURE ${ARG_ARCHITECTURE})
      set(CPACK_DEBIAN_${row}_PACKAGE_SHLIBDEPS OFF)
    endif()
    if(ARG_SECTION)
      set(CPACK_DEBIAN_${row}_PACKAGE_SECTION ${ARG_SECTION})
    endif()
    if(ARG_SHARED_LIBRARY) # others link it: what they depend on, and ldconfig, which CPack knows of by scripts alone
      file(WRITE ${PROJECT_BINARY_DIR}/packaging/shlibs "libcrosslane 1 ${name} ${this}\n")
      file(WRITE ${PROJECT_BINARY_DIR}/packaging/triggers "activate-noawait ldconfig\n")
      set(CPACK_DEBIAN_${row}_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/packaging/shlibs ${PROJECT_BINARY_DIR}/packaging/triggers)
    endif()
  endif()
endmacro()

set(compilers "clang-19, lld-19, libclc-19") # of .cl and .hip
set(title "AMD GCN GPU machine code on an ordinary CPU")
set(gcn "crosslane runs the machine code of AMD GCN GPUs, 64 lanes at a time, with the
vector instructions of an ordinary CPU: no GPU and no driver is needed.
.
")
crosslane_package(command crosslane "${title}" "${gcn}This package has the command: it launches kernels in code objects, assembly,
OpenCL C and HIP, disassembles, assembles, lints, instruments, profiles and
times them."
  DEPENDS "crosslane-jit ${this}" RECOMMENDS "crosslane-hsa ${this}" ${compilers} SUGGESTS rocm-device-libs libamdhip64-dev)
crosslane_package(jit crosslane-jit "${title}: compiler" "${gcn}This package has the compiler of kernels that run for long, which all other
parts load when they need it."
  SECTION libs)
crosslane_package(runtime crosslane-hsa "${title}: HSA runtime" "${gcn}This package has the emulated GPU for HIP, OpenMP and OpenACC programs: a
libhsa-runtime64.so.1 in a folder of its own, which programs find that
'crosslane run' starts. The system's own stays as it is."
  DEPENDS "crosslane-jit ${this}" RECOMMENDS "crosslane ${this}" SECTION libs)
crosslane_package(lanes libcrosslane-lanes-dev "permutes in AVX2 and AVX-512 registers: C++ headers"
  "Permutes, transposes, reductions, scans and compression of vectors, with a
planner that finds the cheapest instructions for a pattern of lanes. Headers
alone, for clang 19 and later."
  ARCHITECTURE all SECTION libdevel RECOMMENDS clang-19)
crosslane_package(library libcrosslane1 "${title}: shared library" "${gcn}This package has the library for programs in C and C++."
  DEPENDS "crosslane-jit ${this}" RECOMMENDS ${compilers} SECTION libs SHARED_LIBRARY)
crosslane_package(development libcrosslane-dev "${title}: headers" "${gcn}This package has what programs in C and C++ are compiled with."
  DEPENDS "libcrosslane1 ${this}" SECTION libdevel)
crosslane_package(mpi crosslane-mpi "${title}: MPI" "${gcn}This package lets 'crosslane replay --mpi' use Open MPI."
  DEPENDS "crosslane ${this}" RECOMMENDS openmpi-bin SECTION libs)
# Its extension is of one version of Python.
execute_process(COMMAND ${CROSSLANE_PYTHON} -c "import sys; a, b = sys.version_info[:2]; print(f'python3 (>= {a}.{b}), python3 (<< {a}.{b + 1})', end='')"
  OUTPUT_VARIABLE this_python)
crosslane_package(python python3-crosslane "${title}: Python module" "${gcn}This package has the module for Python 3."
  DEPENDS "libcrosslane1 ${this}" "${this_python}" python3-numpy SUGGESTS python3-pytest SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/cmake/scripts/python3-crosslane/postinst
  ${PROJECT_SOURCE_DIR}/cmake/scripts/python3-crosslane/prerm)
include(CPack)

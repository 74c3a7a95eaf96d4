# Run by CPack when all is installed below CPACK_TEMPORARY_DIRECTORY, one folder a component, and not yet packed: adds copyright and
# changelogs, and gives all files the time of the commit, so that the same commit makes the same packages.
set(source ${CPACK_CROSSLANE_SOURCE})
execute_process(COMMAND git log -1 --format=%ct WORKING_DIRECTORY ${source} OUTPUT_VARIABLE epoch ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT epoch)
  string(TIMESTAMP epoch %s UTC)
endif()
if(NOT DEFINED ENV{SOURCE_DATE_EPOCH})
  set(ENV{SOURCE_DATE_EPOCH} ${epoch}) # CPack reads it too
endif()
execute_process(COMMAND date -R -u -d @$ENV{SOURCE_DATE_EPOCH} OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)

# What is in our binaries beside our own code: linked statically, or headers. Debian's packages say whose it is.
set(copyright [[
crosslane: AMD GCN GPU machine code on an ordinary CPU

Copyright 2026 the crosslane authors
License: Apache-2.0; on Debian systems, its text is in /usr/share/common-licenses/Apache-2.0.

The binaries of this package contain parts of the following libraries, as Debian distributes them, each under its own terms, which
are the rest of this file: what Debian's packages say of them, and what the packages of the report's page do. Sources of all of them
and of crosslane, with which its binaries can be linked again to a changed library (LGPL-2.1, section 6), are those of Debian and of
crosslane's repository.

]])
foreach(package llvm-19-dev libcli11-dev nlohmann-json3-dev libseccomp-dev libtomlplusplus-dev libfmt-dev libhsa-runtime-dev)
  if(NOT EXISTS /usr/share/doc/${package}/copyright)
    message(FATAL_ERROR "/usr/share/doc/${package}/copyright is not there: which licence comes with what was linked cannot be told")
  endif()
  file(READ /usr/share/doc/${package}/copyright text)
  string(APPEND copyright "==== ${package} ====\n\n${text}\n")
endforeach()
file(READ ${CPACK_CROSSLANE_REPORT} page)
if(NOT page MATCHES "id=\"?licences\"?[^>]*>([^<]*)<")
  message(FATAL_ERROR "${CPACK_CROSSLANE_REPORT}: has no element with the licences of what it is made of")
endif()
string(REPLACE "&lt;" "<" notices "${CMAKE_MATCH_1}")
string(REPLACE "&amp;" "&" notices "${notices}")
string(APPEND copyright "==== the page of HTML reports ====\n\n${notices}\n")

foreach(component ${CPACK_COMPONENTS_ALL})
  string(TOUPPER ${component} row)
  set(name ${CPACK_DEBIAN_${row}_PACKAGE_NAME})
  set(root ${CPACK_TEMPORARY_DIRECTORY}/${component})
  set(doc ${root}/usr/share/doc/${name})
  if(component STREQUAL lanes) # nothing is linked
    string(REGEX REPLACE "\nThe binaries of this package.*" "" own "${copyright}")
    file(WRITE ${doc}/copyright "${own}")
  else()
    file(WRITE ${doc}/copyright "${copyright}")
  endif()
  file(WRITE ${doc}/changelog "crosslane (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium\n\n  * CHANGELOG.md in /usr/share/doc/crosslane tells what changed.\n\n -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
  execute_process(COMMAND gzip -9nf ${doc}/changelog COMMAND_ERROR_IS_FATAL ANY)
  set(overrides ${source}/cmake/lintian/${name})
  if(EXISTS ${overrides})
    file(MAKE_DIRECTORY ${root}/usr/share/lintian/overrides)
    file(COPY_FILE ${overrides} ${root}/usr/share/lintian/overrides/${name})
  endif()
  # Debian's Python looks here for what packages install.
  file(GLOB modules ${root}/usr/lib/python3.*)
  if(modules)
    file(RENAME ${modules} ${root}/usr/lib/python3)
  endif()
  execute_process(COMMAND chmod -R u=rwX,go=rX ${root} COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND find ${root} -exec touch -h -d @$ENV{SOURCE_DATE_EPOCH} {} + COMMAND_ERROR_IS_FATAL ANY)
endforeach()

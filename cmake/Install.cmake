# What `make install PREFIX=` copies, by component, each of which is a Debian package (cmake/Packages.cmake): the command with its
# manual pages, completions and documentation; the compiler of kernels; the runtime library. lanes/CMakeLists.txt adds its headers.
include(GNUInstallDirs)
if(TARGET crosslane)
  install(TARGETS crosslane RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT command)
  # Written by the command itself when it was built (src/cli/CMakeLists.txt).
  install(DIRECTORY ${PROJECT_BINARY_DIR}/share/man/ DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT command)
  foreach(shell bash-completion zsh fish)
    install(DIRECTORY ${PROJECT_BINARY_DIR}/share/${shell} DESTINATION ${CMAKE_INSTALL_DATADIR} COMPONENT command)
  endforeach()
endif()
# In a folder of its own, which only `crosslane run` makes the loader look into: an installed crosslane does not stand in for
# the system's HSA runtime.
if(TARGET hsa-runtime)
  install(TARGETS hsa-runtime crosslane-preload LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/crosslane COMPONENT runtime)
endif()
if(TARGET crosslane_jit_so)
  install(TARGETS crosslane_jit_so LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/crosslane COMPONENT jit)
endif()
if(TARGET crosslane_mpi)
  install(TARGETS crosslane_mpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/crosslane COMPONENT mpi)
endif()
# As they lie in the tree, so that their links hold and commands of --help run from there.
install(DIRECTORY examples docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT command)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT licence) # packages have it in copyright
install(FILES README.md CONTRIBUTING.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT command)

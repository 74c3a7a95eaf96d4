# What `make install PREFIX=` copies: the command, the runtime library, the examples, the licence; lanes/CMakeLists.txt adds
# its headers.
include(GNUInstallDirs)
if(TARGET crosslane)
  install(TARGETS crosslane RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
# In a folder of its own, which only `crosslane run` makes the loader look into: an installed crosslane does not stand in for
# the system's HSA runtime.
if(TARGET hsa-runtime)
  install(TARGETS hsa-runtime crosslane-preload LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/crosslane)
endif()
if(TARGET crosslane_jit_so)
  install(TARGETS crosslane_jit_so LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/crosslane)
endif()
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DATADIR}/crosslane)
install(FILES README.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

# What `make install PREFIX=` copies: the command, the runtime library, the examples, the licence; lanes/CMakeLists.txt adds
# its headers.
include(GNUInstallDirs)
if(TARGET crosslane)
  install(TARGETS crosslane RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
# In a folder of its own, which only `crosslane run` makes the loader look into: an installed crosslane does not stand in for
# the system's HSA runtime.
foreach(library hsa-runtime crosslane-preload)
  if(TARGET ${library})
    install(TARGETS ${library} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/crosslane OPTIONAL)
  endif()
endforeach()
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DATADIR}/crosslane)
install(FILES README.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

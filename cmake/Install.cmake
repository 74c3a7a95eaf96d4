# What `make install PREFIX=` copies: the command, the examples, the licence; lanes/CMakeLists.txt adds its headers.
include(GNUInstallDirs)
if(TARGET crosslane)
  install(TARGETS crosslane RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DATADIR}/crosslane)
install(FILES README.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

# What `make install PREFIX=` copies: the command, the examples, the header-only lanes library, the licence.
include(GNUInstallDirs)
if(TARGET crosslane)
  install(TARGETS crosslane RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(DIRECTORY lanes DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/crosslane FILES_MATCHING PATTERN "*.h")
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DATADIR}/crosslane)
install(FILES README.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

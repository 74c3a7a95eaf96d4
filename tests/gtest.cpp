// Owns the precompiled headers of tests: the header is named in CMakeLists.txt.

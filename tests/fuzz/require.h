// Owns REQUIRE: what a fuzzer's subject promises. A broken promise ends the program, so that the input is kept.
#pragma once
#include <cstdio>
#include <cstdlib>

#define REQUIRE(CONDITION)                                                                                             \
  do {                                                                                                                 \
    if (!(CONDITION)) {                                                                                                \
      std::fprintf(stderr, "%s:%d: broken promise: %s\n", __FILE__, __LINE__, #CONDITION);                             \
      std::abort();                                                                                                    \
    }                                                                                                                  \
  } while (false)

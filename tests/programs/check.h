// What every test program shares: a requirement that says where it failed, and the one line that means success. No
// GoogleTest here: these are the small, ordinary programs that users write, and their device compilers see this file.
#pragma once
#include <stdio.h>
#include <stdlib.h>

// Ends the program with status 1 and a message unless `condition` holds; the rest is printf's.
#define REQUIRE(condition, ...)                                                                                        \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      fprintf(stderr, "%s:%d: not so: %s:", __FILE__, __LINE__, #condition);                                           \
      fprintf(stderr, " " __VA_ARGS__);                                                                                \
      fputc('\n', stderr);                                                                                             \
      exit(1);                                                                                                         \
    }                                                                                                                  \
  } while (0)

static inline int pass(void) {
  puts("PASS");
  fflush(stdout);
  return 0;
}

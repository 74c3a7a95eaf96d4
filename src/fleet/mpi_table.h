/* Owns what libcrosslane_mpi.so exports: MPI behind a few functions of C, so that nothing else is built with, or linked
 * to, an MPI. */
#ifndef CROSSLANE_FLEET_MPI_TABLE_H
#define CROSSLANE_FLEET_MPI_TABLE_H
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct crosslane_mpi_table {
  /* NULL, or why there is none. `neighbours`: ranks on this machine. */
  const char* (*begin)(int* rank, int* size, int* neighbours);
  void (*send)(int to, const void* bytes, size_t size);
  /* A message that has arrived whole, for free(); NULL: none. Does not wait. */
  void* (*receive)(int* from, size_t* size);
  /* Every rank that is there calls it; rank 0 knows whether `all` are. Does not return. */
  void (*end)(int all, int status);
};
__attribute__((visibility("default"))) const struct crosslane_mpi_table* crosslane_mpi(void);

#ifdef __cplusplus
}
#endif
#endif

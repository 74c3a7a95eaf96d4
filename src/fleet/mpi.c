/* libcrosslane_mpi.so. Errors of sends and receives are those of ranks that are gone, which the fleet finds out by
 * itself. Nothing here waits for a rank that may be gone: a message longer than MPI sends at once takes its sender
 * until the end. MPI is called by one thread. */
#include "fleet/mpi_table.h"
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { tag = 17, tag_of_end = 18 };

static const char* begin(int* rank, int* size, int* neighbours) {
  int given;
  MPI_Comm here;
  if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &given) != MPI_SUCCESS)
    return "MPI_Init failed";
  if (given < MPI_THREAD_FUNNELED)
    return "this MPI does not serve programs with threads";
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, rank);
  MPI_Comm_size(MPI_COMM_WORLD, size);
  *neighbours = 1;
  if (MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here) == MPI_SUCCESS) {
    MPI_Comm_size(here, neighbours);
    MPI_Comm_free(&here);
  }
  return NULL;
}

/* A message on its way. */
struct transfer {
  struct transfer* next;
  MPI_Request request;
  int rank, done;
  size_t size;
  char bytes[];
};
static struct transfer *sent, *arriving;

static struct transfer* transfer(int rank, size_t size) {
  struct transfer* const t = calloc(1, sizeof(struct transfer) + size);
  if (t)
    t->rank = rank, t->size = size;
  return t;
}
static void append(struct transfer** list, struct transfer* t) {
  while (*list)
    list = &(*list)->next;
  *list = t;
}
/* A request that failed is given up, as one that is done. */
static int ended(struct transfer* t) {
  if (!t->done && MPI_Test(&t->request, &t->done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
    t->done = -1;
  return t->done;
}

/* Those that have left. What a rank that is gone does not take stays. */
static void forget_sent(void) {
  for (struct transfer** at = &sent; *at;) {
    struct transfer* const t = *at;
    if (ended(t)) {
      *at = t->next;
      free(t);
    } else {
      at = &t->next;
    }
  }
}

static void send(int to, const void* bytes, size_t size) {
  struct transfer* const t = transfer(to, size);
  if (!t)
    return;
  memcpy(t->bytes, bytes, size);
  if (MPI_Isend(t->bytes, (int)size, MPI_BYTE, to, tag, MPI_COMM_WORLD, &t->request) != MPI_SUCCESS) {
    free(t);
    return;
  }
  append(&sent, t);
  forget_sent();
}

static void begin_to_receive(void) {
  MPI_Message message;
  MPI_Status status;
  for (int flag = 1, size = 0; flag;) {
    if (MPI_Improbe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &flag, &message, &status) != MPI_SUCCESS || !flag)
      return;
    MPI_Get_count(&status, MPI_BYTE, &size);
    struct transfer* const t = transfer(status.MPI_SOURCE, (size_t)size);
    if (!t)
      MPI_Abort(MPI_COMM_WORLD, 2);
    if (MPI_Imrecv(t->bytes, size, MPI_BYTE, &message, &t->request) == MPI_SUCCESS)
      append(&arriving, t);
    else
      free(t);
  }
}

/* The first that is whole; of one rank, in the order of its messages. */
static void* receive(int* from, size_t* size) {
  begin_to_receive();
  forget_sent();
  for (struct transfer** at = &arriving; *at;) {
    struct transfer* const t = *at;
    int later = 0;
    for (const struct transfer* earlier = arriving; earlier != t; earlier = earlier->next)
      later |= earlier->rank == t->rank;
    if (later || !ended(t)) {
      at = &t->next;
      continue;
    }
    *at = t->next;
    if (t->done > 0) {
      void* const bytes = malloc(t->size ? t->size : 1);
      if (!bytes)
        MPI_Abort(MPI_COMM_WORLD, 2);
      memcpy(bytes, t->bytes, t->size);
      *from = t->rank;
      *size = t->size;
      free(t);
      return bytes;
    }
    free(t);
  }
  return NULL;
}

/* MPI_Finalize waits for every rank, and so must not be called when one is gone. MPI_Abort alone is not enough then:
 * with --enable-recovery, mpirun at times misses it, and ranks that wait for nobody are left. */
static void end(int all, int status) {
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (rank) {
    MPI_Request request;
    int told = 0;
    if (MPI_Irecv(&all, 1, MPI_INT, 0, tag_of_end, MPI_COMM_WORLD, &request) != MPI_SUCCESS)
      _exit(status);
    while (MPI_Test(&request, &told, MPI_STATUS_IGNORE) == MPI_SUCCESS && !told) {
      forget_sent();
      usleep(1000);
    }
    if (!told || !all)
      _exit(status);
  }
  for (int r = 1; !rank && r < ranks; ++r) {
    MPI_Request request;
    MPI_Isend(&all, 1, MPI_INT, r, tag_of_end, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
  }
  if (all) {
    MPI_Finalize();
  } else {
    for (int i = 0; i < 100; ++i) { /* what is sent leaves while MPI is looked at */
      int flag;
      MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
      usleep(1000);
    }
    MPI_Abort(MPI_COMM_WORLD, status);
  }
  _exit(status);
}

const struct crosslane_mpi_table* crosslane_mpi(void) {
  static const struct crosslane_mpi_table table = {begin, send, receive, end};
  return &table;
}

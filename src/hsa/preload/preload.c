// Owns what programs ask of the system beside or before the HSA runtime: that the amdgpu driver is loaded, that /dev/kfd
// can be opened, and what the driver says of the cards under /sys/class/kfd. `crosslane run` and `crosslane env` preload
// this library into programs; where the driver is missing it answers for it, and does nothing else: each call goes to the C
// library first, and only its failure for one of the paths below is looked at. The driver also lets kernels reach memory
// that HIP has mapped by itself (managed memory); here such memory is put where kernels reach. C, and nothing but the C
// library, because it gets into every process.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

// The C library's function of the same name, found when this library is loaded: looking it up within a signal handler
// or after a fork could block.
#define EACH_FUNCTION(F)                                                                                               \
  F(open)                                                                                                              \
  F(open64) F(openat) F(openat64) F(__open_2) F(__open64_2) F(__openat_2) F(__openat64_2) F(fopen) F(fopen64)          \
      F(opendir) F(popen) F(stat) F(stat64) F(lstat) F(lstat64) F(fstatat) F(fstatat64) F(__xstat) F(__xstat64)         \
          F(__lxstat) F(__lxstat64) F(access) F(mmap)

enum {
#define NUMBER(name) id_##name,
  EACH_FUNCTION(NUMBER)
#undef NUMBER
      functions
};

static void* next_function[functions];
static const char* const function_names[functions] = {
#define NAME(name) #name,
    EACH_FUNCTION(NAME)
#undef NAME
};

static void* next(int id) {
  void* function = __atomic_load_n(&next_function[id], __ATOMIC_RELAXED);
  if (!function) {
    function = dlsym(RTLD_NEXT, function_names[id]);
    __atomic_store_n(&next_function[id], function, __ATOMIC_RELAXED);
  }
  return function;
}

__attribute__((constructor)) static void find_functions(void) {
  for (int id = 0; id < functions; ++id)
    next(id);
}

// Nothing is there, or it may not be used. Of any other failure the path is not even read: it may be what is wrong.
static int missing(void) {
  return errno == ENOENT || errno == EACCES || errno == EPERM || errno == ENXIO || errno == ENODEV;
}

// Gives the folder that stands for /sys/class/kfd/kfd/topology, or "". libhsa-runtime64 sets it when it is loaded
// (hsa/info/topology.cpp).
EXPORTED const char* (*crosslane_topology)(void);

// A program may read these files and never use the runtime, which is loaded then.
static const char* topology(void) {
  static int tried;
  if (!__atomic_load_n(&crosslane_topology, __ATOMIC_ACQUIRE) && !__atomic_exchange_n(&tried, 1, __ATOMIC_RELAXED))
    dlopen("libhsa-runtime64.so.1", RTLD_LAZY);
  const char* (*const folder)(void) = __atomic_load_n(&crosslane_topology, __ATOMIC_ACQUIRE);
  return folder ? folder() : "";
}

// The path that stands for one that is missing, in `place`; null: nothing does.
static const char* translated(const char* path, char* place, size_t bytes) {
  static const char* const prefixes[] = {"/sys/class/kfd/kfd/topology", "/sys/devices/virtual/kfd/kfd/topology"};
  if (!missing())
    return NULL;
  const int error = errno;
  const char* result = NULL;
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; ++i) {
    const size_t length = strlen(prefixes[i]);
    const char* const rest = path + length;
    if (strncmp(path, prefixes[i], length) || (*rest && *rest != '/'))
      continue;
    const char* const folder = topology();
    if (*folder && (size_t)snprintf(place, bytes, "%s%s", folder, rest) < bytes)
      result = place;
  }
  errno = error;
  return result;
}

// What stands for a file that could not be opened: a new descriptor, or -1 with errno as it was.
static int answer(const char* path, int flags) {
  if (!missing())
    return -1;
  const int error = errno, cloexec = flags & O_CLOEXEC;
  int (*const real_open)(const char*, int, ...) = next(id_open);
  char place[PATH_MAX];
  const char* const other = translated(path, place, sizeof place);
  if (other) // to read, as all files of the driver are
    return real_open(other, O_RDONLY | cloexec | (flags & O_DIRECTORY));
  int descriptor = -1;
  if (!strcmp(path, "/dev/kfd")) { // ioctl fails with ENOTTY, as it should: there is no driver to talk to
    descriptor = real_open("/dev/null", O_RDWR | cloexec);
  } else if (!strcmp(path, "/sys/module/amdgpu/initstate")) { // what later versions of rocminfo read
    static const char live[] = "live\n";
    descriptor = memfd_create("amdgpu-initstate", cloexec ? MFD_CLOEXEC : 0);
    if (descriptor >= 0 && (write(descriptor, live, sizeof live - 1) < 0 || lseek(descriptor, 0, SEEK_SET) < 0)) {
      close(descriptor);
      descriptor = -1;
    }
  }
  errno = error;
  return descriptor;
}

static int has_mode(int flags) { return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE; }

#define OPEN(name)                                                                                                     \
  EXPORTED int name(const char* path, int flags, ...) {                                                                \
    int (*const real)(const char*, int, ...) = next(id_##name);                                                        \
    int descriptor;                                                                                                    \
    if (has_mode(flags)) {                                                                                             \
      va_list list;                                                                                                    \
      va_start(list, flags);                                                                                           \
      const mode_t mode = va_arg(list, mode_t);                                                                        \
      va_end(list);                                                                                                    \
      descriptor = real(path, flags, mode);                                                                            \
    } else {                                                                                                           \
      descriptor = real(path, flags);                                                                                  \
    }                                                                                                                  \
    return descriptor >= 0 ? descriptor : answer(path, flags);                                                         \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                                                                   \
  EXPORTED int name(int folder, const char* path, int flags, ...) {                                                    \
    int (*const real)(int, const char*, int, ...) = next(id_##name);                                                   \
    int descriptor;                                                                                                    \
    if (has_mode(flags)) {                                                                                             \
      va_list list;                                                                                                    \
      va_start(list, flags);                                                                                           \
      const mode_t mode = va_arg(list, mode_t);                                                                        \
      va_end(list);                                                                                                    \
      descriptor = real(folder, path, flags, mode);                                                                    \
    } else {                                                                                                           \
      descriptor = real(folder, path, flags);                                                                          \
    }                                                                                                                  \
    return descriptor >= 0 ? descriptor : answer(path, flags);                                                         \
  }
OPENAT(openat)
OPENAT(openat64)

// What _FORTIFY_SOURCE makes of calls without a mode.
#define OPEN_2(name)                                                                                                   \
  EXPORTED int name(const char* path, int flags);                                                                      \
  int name(const char* path, int flags) {                                                                              \
    int (*const real)(const char*, int) = next(id_##name);                                                             \
    const int descriptor = real(path, flags);                                                                          \
    return descriptor >= 0 ? descriptor : answer(path, flags);                                                         \
  }
OPEN_2(__open_2)
OPEN_2(__open64_2)

#define OPENAT_2(name)                                                                                                 \
  EXPORTED int name(int folder, const char* path, int flags);                                                          \
  int name(int folder, const char* path, int flags) {                                                                  \
    int (*const real)(int, const char*, int) = next(id_##name);                                                        \
    const int descriptor = real(folder, path, flags);                                                                  \
    return descriptor >= 0 ? descriptor : answer(path, flags);                                                         \
  }
OPENAT_2(__openat_2)
OPENAT_2(__openat64_2)

#define FOPEN(name)                                                                                                    \
  EXPORTED FILE* name(const char* path, const char* mode) {                                                            \
    FILE* (*const real)(const char*, const char*) = next(id_##name);                                                   \
    FILE* const file = real(path, mode);                                                                               \
    if (file)                                                                                                          \
      return file;                                                                                                     \
    const int descriptor = answer(path, strchr(mode, 'e') ? O_CLOEXEC : 0);                                            \
    return descriptor >= 0 ? fdopen(descriptor, mode) : NULL;                                                          \
  }
FOPEN(fopen)
FOPEN(fopen64)

EXPORTED DIR* opendir(const char* path) {
  DIR* (*const real)(const char*) = next(id_opendir);
  DIR* const folder = real(path);
  char place[PATH_MAX];
  const char* const other = folder ? NULL : translated(path, place, sizeof place);
  return other ? real(other) : folder;
}

// The same for questions about a path; __xstat and the like are stat of programs built before glibc 2.33.
#define ASK(name, PARAMETERS, CALL)                                                                                    \
  EXPORTED int name PARAMETERS;                                                                                        \
  int name PARAMETERS {                                                                                                \
    int(*const real) PARAMETERS = next(id_##name);                                                                     \
    const int result = real CALL;                                                                                      \
    char place[PATH_MAX];                                                                                              \
    if (result >= 0 || !(path = translated(path, place, sizeof place)))                                                \
      return result;                                                                                                   \
    return real CALL;                                                                                                  \
  }
ASK(stat, (const char* path, struct stat* status), (path, status))
ASK(stat64, (const char* path, struct stat64* status), (path, status))
ASK(lstat, (const char* path, struct stat* status), (path, status))
ASK(lstat64, (const char* path, struct stat64* status), (path, status))
ASK(fstatat, (int folder, const char* path, struct stat* status, int flags), (folder, path, status, flags))
ASK(fstatat64, (int folder, const char* path, struct stat64* status, int flags), (folder, path, status, flags))
ASK(__xstat, (int version, const char* path, struct stat* status), (version, path, status))
ASK(__xstat64, (int version, const char* path, struct stat64* status), (version, path, status))
ASK(__lxstat, (int version, const char* path, struct stat* status), (version, path, status))
ASK(__lxstat64, (int version, const char* path, struct stat64* status), (version, path, status))
ASK(access, (const char* path, int mode), (path, mode))

EXPORTED FILE* popen(const char* command, const char* mode) {
  FILE* (*const real)(const char*, const char*) = next(id_popen);
  if (!strcmp(command, "lsmod | grep amdgpu"))
    command = "{ lsmod | grep amdgpu; } 2>/dev/null || echo amdgpu 0 0";
  return real(command, mode);
}

// Memory that kernels reach, of that many bytes, zeroed and given back by munmap; null: there is none. libhsa-runtime64
// sets it (hsa/memory/svm.cpp).
EXPORTED void* (*crosslane_reserve)(size_t bytes);

// ROCclr (os_posix.cpp, Os::reserveMemory) is known by a descriptor of 0 with MAP_ANONYMOUS, where the manual wants -1.
EXPORTED void* mmap(void* address, size_t bytes, int protection, int flags, int file, off_t offset) {
  void* (*const reserve)(size_t) = __atomic_load_n(&crosslane_reserve, __ATOMIC_ACQUIRE);
  if (reserve && !address && file == 0 && !offset && protection == (PROT_READ | PROT_WRITE) &&
      flags == (MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE)) {
    void* const p = reserve(bytes);
    if (p)
      return p;
  }
  // UCX patches the C library's function to hear of mappings. Before that is found, or while it is, it may not be looked for:
  // looking allocates.
  void* (*const real)(void*, size_t, int, int, int, off_t) =
      __atomic_load_n(&next_function[id_mmap], __ATOMIC_RELAXED);
  return real ? real(address, bytes, protection, flags, file, offset)
              : (void*)syscall(SYS_mmap, address, bytes, protection, flags, file, offset);
}

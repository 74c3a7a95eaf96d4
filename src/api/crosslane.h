/* crosslane.h: kernels of AMD GPUs on this machine's CPU, as a C library (-lcrosslane).
 *
 *   crosslane_context* context;
 *   crosslane_module* module;
 *   crosslane_launch* launch;
 *   crosslane_result* result;
 *   crosslane_context_create(&context);
 *   crosslane_module_load(context, "vector_add.cl", NULL, &module);
 *   crosslane_launch_create(crosslane_module_kernel(module, "vector_add"), &launch);
 *   crosslane_launch_set_grid(launch, 1, (uint32_t[]){1000});
 *   crosslane_launch_add_word(launch, "a=f32[1000]:iota");
 *   ...
 *   if (crosslane_launch_run(launch, &result) != CROSSLANE_OK)
 *     complain(crosslane_launch_message(launch));
 *
 * Handles. What a `create` or `load` gives is the caller's, who destroys it; NULL may be destroyed. Destroying one
 * never invalidates another: a module lives on in its launches, a buffer in what was set to it. What other functions
 * return belongs to the handle that they were called with, and lives as long as that, or as they say.
 *
 * Errors. A function that can fail returns a status. Its text (what, where, what to do) is kept in the handle it was
 * called with until the next call with that handle, and is never NULL. Nothing prints, exits or throws.
 *
 * Threads. A handle is used by one thread at a time, but for crosslane_launch_cancel(), for any. Different handles may
 * be used at the same time, those of one context and of one module too; several contexts may be in one process.
 *
 * Sizes are bytes, and counts of work-items where it says so. Texts are UTF-8, ended by NUL.
 *
 * Addresses. Memory of contexts lies where captured memory of programs does not; so a capture finds its place free.
 *
 * The process. A kernel's memory faults are signals (SIGSEGV, SIGBUS) that the library handles; others go to who had
 * them before. CROSSLANE_LEVEL, CROSSLANE_JIT and the cache's variables are read from the environment as the commands
 * read them.
 *
 * Structures begin with `size`, which the caller sets to sizeof: a newer library fills in what the caller knows of.
 */
#ifndef CROSSLANE_H
#define CROSSLANE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Grows when something is added; if something went, the library's soname would change. */
#define CROSSLANE_API_VERSION 2

typedef struct crosslane_context crosslane_context; /* memory of a device, and what is loaded there */
typedef struct crosslane_module crosslane_module;   /* machine code, loaded: kernels and variables */
typedef struct crosslane_kernel crosslane_kernel;   /* of a module, which it belongs to */
typedef struct crosslane_buffer crosslane_buffer;   /* memory that kernels reach */
typedef struct crosslane_launch crosslane_launch;   /* a kernel with its grid, arguments and options */
typedef struct crosslane_capture crosslane_capture; /* dispatches of programs, kept in a folder */
typedef struct crosslane_result crosslane_result;   /* what came of a launch */

typedef enum crosslane_status {
  CROSSLANE_OK = 0,
  /* Wrong use: nothing has happened. */
  CROSSLANE_ERROR_ARGUMENT = 1, /* NULL, or a number where there is nothing */
  CROSSLANE_ERROR_NAME = 2,     /* no such kernel, parameter, buffer, document, target */
  CROSSLANE_ERROR_CODE = 3,     /* no code that can be run: the compiler's or the reader's message */
  CROSSLANE_ERROR_LAUNCH = 4,   /* grid, arguments or options that cannot be */
  CROSSLANE_ERROR_MEMORY = 5,   /* the device or the host has no more */
  /* A launch ended early. There is a result, which says more. */
  CROSSLANE_FAULT = 16,         /* of the kernel */
  CROSSLANE_REFUSED = 17,       /* the dispatch is impossible: nothing ran */
  CROSSLANE_TIMEOUT = 18,       /* of the option "timeout" */
  CROSSLANE_CANCELLED = 19,     /* crosslane_launch_cancel() */
  CROSSLANE_DIFFERENT = 20,     /* the kernel ran, and a buffer is not what the option "expect" says */
  CROSSLANE_ERROR_FILE = 21,    /* the kernel ran, and a file that an option names could not be written */
  CROSSLANE_ERROR_INTERNAL = 64 /* a mistake of the library's */
} crosslane_status;

/* "fault", "timeout", ...; never NULL. */
const char* crosslane_status_name(crosslane_status status);

/* "0.1.0". */
const char* crosslane_version(void);
/* CROSSLANE_API_VERSION of the library. */
uint32_t crosslane_api_version(void);
/* "v4", "v3" or "v1": the x86-64 level of the host that is in use. */
const char* crosslane_host_level(void);
/* "gfx600", ...: what kernels may be for. NULL from the end of the list on. */
const char* crosslane_target(size_t index);
/* "vega10", ...: for the option "gpu". NULL from the end of the list on. */
const char* crosslane_card(size_t index);
/* "on", "off", "always" or "verify", as CROSSLANE_JIT, for the process: before the first launch, afterwards only what
 * is in use anyway. */
crosslane_status crosslane_set_jit(const char* policy);

/* ---- Contexts ---- */

crosslane_status crosslane_context_create(crosslane_context** context);
/* Another handle of the same context, for another thread: the context is gone when all are. */
crosslane_status crosslane_context_share(const crosslane_context* context, crosslane_context** shared);
void crosslane_context_destroy(crosslane_context* context);
const char* crosslane_context_message(const crosslane_context* context);

/* ---- Modules ---- */

typedef struct crosslane_load_options {
  size_t size;
  const char* target;               /* "gfx906", "gfx906:xnack-"; NULL: the code's own, or gfx900 for sources */
  const char* const* clang_options; /* for sources in OpenCL C and HIP: "-O0", "-DN=16"; NULL-terminated, or NULL */
} crosslane_load_options;

/* `file`: .co .hsaco .so, offload bundle, .s, .cl, .hip, as the command takes them. `options` may be NULL. */
crosslane_status crosslane_module_load(crosslane_context* context, const char* file,
                                       const crosslane_load_options* options, crosslane_module** module);
/* The same of what a file of that name would hold: "k.cl" makes it OpenCL C, and stands for it in messages. The bytes
 * are copied. */
crosslane_status crosslane_module_load_bytes(crosslane_context* context, const void* bytes, size_t byte_count,
                                             const char* name, const crosslane_load_options* options,
                                             crosslane_module** module);
void crosslane_module_destroy(crosslane_module* module);
const char* crosslane_module_message(const crosslane_module* module);
const char* crosslane_module_target(const crosslane_module* module); /* "gfx900" */

size_t crosslane_module_kernel_count(const crosslane_module* module);
/* NULL where there is none. */
const crosslane_kernel* crosslane_module_kernel_at(const crosslane_module* module, size_t index);
/* By symbol, by its name in the source, "ns::f<3, float>", or by that without the arguments of its template if only one
 * is called so. "" and NULL: the only one. NULL: none, and the module's message lists what there is. */
const crosslane_kernel* crosslane_module_kernel(crosslane_module* module, const char* name);
/* Variables of the code, which keep what kernels write for as long as the module lives: a buffer over it. */
crosslane_status crosslane_module_variable(crosslane_module* module, const char* name, crosslane_buffer** buffer);
/* Variables hold again what they held when the module was loaded. */
crosslane_status crosslane_module_reset(crosslane_module* module);

/* ---- Kernels: the module's, and gone with it ---- */

typedef struct crosslane_kernel_info {
  size_t size;
  const char* name;      /* as the source has it: "ns::f<3, float>" */
  const char* symbol;    /* "_ZN2ns1f..." */
  const char* signature; /* "vadd(global float* a, int n)" */
  uint32_t has_metadata; /* 0: parameters are not known, and arguments carry their types */
  uint32_t parameter_count;
  uint32_t kernarg_bytes, lds_bytes, scratch_bytes; /* of arguments; of a workgroup, static; of a work-item */
  uint32_t vgprs, agprs, sgprs;                     /* as allocated */
  uint32_t max_block;                               /* work-items of a workgroup at most */
  uint32_t required_block[3];                       /* 0, 0, 0: any */
} crosslane_kernel_info;
crosslane_status crosslane_kernel_get_info(const crosslane_kernel* kernel, crosslane_kernel_info* info);

typedef enum crosslane_type { /* of an element */
                              CROSSLANE_TYPE_UNKNOWN = 0,
                              CROSSLANE_I8 = 1,
                              CROSSLANE_I16,
                              CROSSLANE_I32,
                              CROSSLANE_I64,
                              CROSSLANE_U8,
                              CROSSLANE_U16,
                              CROSSLANE_U32,
                              CROSSLANE_U64,
                              CROSSLANE_F16,
                              CROSSLANE_F32,
                              CROSSLANE_F64,
                              CROSSLANE_BOOL
} crosslane_type;

typedef enum crosslane_parameter_kind {
  CROSSLANE_PARAMETER_VALUE = 0,   /* scalars, vectors, structures */
  CROSSLANE_PARAMETER_POINTER = 1, /* to global memory */
  CROSSLANE_PARAMETER_LOCAL = 2,   /* to dynamic LDS: its argument is a size */
  CROSSLANE_PARAMETER_UNSUPPORTED = 3
} crosslane_parameter_kind;

typedef struct crosslane_parameter_info {
  size_t size;
  const char* name;      /* may be "" */
  const char* type_name; /* as the source writes it; may be "" */
  crosslane_parameter_kind kind;
  uint32_t bytes;
  crosslane_type element; /* of a value, or pointed to */
  uint32_t elements;      /* of a vector; 3-vectors are passed as 4 */
  uint32_t read_only;     /* a pointer to const */
} crosslane_parameter_info;
crosslane_status crosslane_kernel_get_parameter(const crosslane_kernel* kernel, size_t index,
                                                crosslane_parameter_info* info);
/* The position of the parameter of that name; -1: there is none. */
ptrdiff_t crosslane_kernel_parameter_index(const crosslane_kernel* kernel, const char* name);

/* ---- Buffers ---- */

/* Zeroed memory of the device. `name` is what faults, findings and profiles call it; NULL: "buffer". */
crosslane_status crosslane_buffer_create(crosslane_context* context, size_t byte_count, const char* name,
                                         crosslane_buffer** buffer);
/* Memory of the caller's, for as long as the buffer lives. What the kernel has is a copy: a launch that it is an
 * argument of begins with what the memory holds, and a launch that completes puts back what the kernel left. */
#define CROSSLANE_READ_ONLY 1u /* nothing is put back: `memory` may be const */
crosslane_status crosslane_buffer_wrap(crosslane_context* context, void* memory, size_t byte_count, uint32_t flags,
                                       const char* name, crosslane_buffer** buffer);
void crosslane_buffer_destroy(crosslane_buffer* buffer);
/* Where the device has it, which is also where the host may read and write it while no launch runs: addresses of GPU
 * memory are addresses of this process. */
void* crosslane_buffer_data(const crosslane_buffer* buffer);
size_t crosslane_buffer_size(const crosslane_buffer* buffer);

/* ---- Launches ---- */

crosslane_status crosslane_launch_create(const crosslane_kernel* kernel, crosslane_launch** launch);
void crosslane_launch_destroy(crosslane_launch* launch);
const char* crosslane_launch_message(const crosslane_launch* launch);

/* One to three dimensions: work-items, or workgroups; of a block, work-items (default: what the kernel requires, or
 * 256). The grid need not be a multiple of the block. */
crosslane_status crosslane_launch_set_grid(crosslane_launch* launch, uint32_t dimensions, const uint32_t* work_items);
crosslane_status crosslane_launch_set_groups(crosslane_launch* launch, uint32_t dimensions, const uint32_t* workgroups);
crosslane_status crosslane_launch_set_block(crosslane_launch* launch, uint32_t dimensions, const uint32_t* work_items);

/* Arguments, by position. What is set stays set from run to run, until it is set to something else. */
crosslane_status crosslane_launch_set_value(crosslane_launch* launch, size_t index, const void* bytes,
                                            size_t byte_count);
/* A number as the parameter's type has it; what that cannot hold exactly (range, a fraction) is an error, but for
 * rounding to a floating-point type. */
crosslane_status crosslane_launch_set_integer(crosslane_launch* launch, size_t index, int64_t value);
crosslane_status crosslane_launch_set_real(crosslane_launch* launch, size_t index, double value);
/* `offset` bytes into the buffer, which may be of any context. NULL: a null pointer. */
crosslane_status crosslane_launch_set_buffer(crosslane_launch* launch, size_t index, crosslane_buffer* buffer,
                                             size_t offset);
/* Any address. Kernels reach memory of buffers; all of the process's with the option "host_memory". */
crosslane_status crosslane_launch_set_pointer(crosslane_launch* launch, size_t index, const void* address);
/* Bytes of dynamic LDS, for a local pointer. */
crosslane_status crosslane_launch_set_local(crosslane_launch* launch, size_t index, uint32_t byte_count);
/* An argument in words, as `crosslane launch` takes it: "5", "n=5", "a=f32[1000]:iota", "x=@x.npy". Buffers of words
 * begin anew with each run; the result has what they held afterwards. Words without a name fill the positions that
 * nothing was set for. */
crosslane_status crosslane_launch_add_word(crosslane_launch* launch, const char* word);
/* Forgets all arguments. */
void crosslane_launch_clear_arguments(crosslane_launch* launch);

/* Options, in TOML as launch descriptions have them (docs/launching.md): everything that `crosslane launch` can do.
 *     profile = "all"
 *     check = "memory,race"
 *     time = true
 *     gpu = "vega10"
 *     timeout = 10
 * What is given again replaces what was given. Not those that say what runs and for whom (file, target, kernel, clang,
 * sandbox). */
crosslane_status crosslane_launch_configure(crosslane_launch* launch, const char* toml);

typedef struct crosslane_progress {
  size_t size;
  uint64_t workgroups_done, workgroups; /* of the run */
  uint64_t runs_done;                   /* of the option "runs" */
  uint64_t instructions;                /* wave-instructions of all runs */
  double seconds;                       /* since the first began */
} crosslane_progress;
/* Called about ten times a second while a launch runs, by a thread of the library: it may call
 * crosslane_launch_cancel() and nothing else of the launch. NULL: nobody. */
typedef void (*crosslane_progress_callback)(const crosslane_progress* progress, void* user);
void crosslane_launch_on_progress(crosslane_launch* launch, crosslane_progress_callback callback, void* user);

/* Blocks until the kernel has ended. `result` is NULL if nothing ran (statuses below 16). */
crosslane_status crosslane_launch_run(crosslane_launch* launch, crosslane_result** result);
/* From any thread: a run that is under way ends soon; without one, nothing happens. */
void crosslane_launch_cancel(crosslane_launch* launch);

/* ---- Captures ---- */

/* Dispatches of programs, kept by `crosslane run --capture FOLDER` (docs/capturing.md). The context has the message if
 * it cannot be opened. */
crosslane_status crosslane_capture_open(crosslane_context* context, const char* folder, crosslane_capture** capture);
void crosslane_capture_destroy(crosslane_capture* capture);
const char* crosslane_capture_message(const crosslane_capture* capture);
size_t crosslane_capture_dispatch_count(const crosslane_capture* capture);

typedef struct crosslane_dispatch_info {
  size_t size;
  uint64_t number;    /* of the capture, by which it is replayed */
  uint64_t launch;    /* of those of this kernel in its process, from 0 */
  const char* kernel; /* as the source has it */
  const char* symbol;
  const char* target;  /* "gfx900" */
  const char* card;    /* "vega10" */
  const char* command; /* of the process */
  const char* ended;   /* "complete", "unmapped address" or another fault, "" if nobody saw it end */
  uint32_t grid[3];    /* work-items */
  uint32_t block[3];
  uint64_t workgroups;
  uint64_t memory_bytes; /* all that the kernel could reach */
  uint32_t comparable;   /* there is something to compare a replay with */
} crosslane_dispatch_info;
/* Of the dispatch at `index`, from 0, in the order of the capture. Its texts live as long as the capture. */
crosslane_status crosslane_capture_get_dispatch(crosslane_capture* capture, size_t index,
                                                crosslane_dispatch_info* info);

/* A launch that runs a captured dispatch again, with its code, arguments and memory at its addresses. It has no other
 * grid and arguments, and takes those options that say how it runs and what is seen of it: profile, check, late, time,
 * gpu, poison, fidelity, instrument, runs, threads, timeout, bounds, ... One replay runs at a time in a process, and
 * others wait. Its memory is there while it runs: a result has documents and a fault, and no buffers. */
crosslane_status crosslane_capture_replay(crosslane_capture* capture, uint64_t number, crosslane_launch** launch);
/* Only those workgroups, by their numbers in the order of launch; `count` 0: all. */
crosslane_status crosslane_replay_set_workgroups(crosslane_launch* launch, uint64_t first, uint64_t count);
/* Not 0: what the replay leaves is compared with what the captured dispatch left, memory or fault. CROSSLANE_OK: it is
 * the same, a fault too; CROSSLANE_DIFFERENT: it is not, and comparisons.txt says where. */
crosslane_status crosslane_replay_set_expect(crosslane_launch* launch, int expect);

/* ---- Results ---- */

void crosslane_result_destroy(crosslane_result* result);
crosslane_status crosslane_result_status(const crosslane_result* result);
/* Of the last call, if it failed; else why the result is not CROSSLANE_OK, as the command prints it. */
const char* crosslane_result_message(const crosslane_result* result);

typedef struct crosslane_stats {
  size_t size;
  uint64_t instructions; /* wave-instructions of the last run */
  uint64_t waves, workgroups;
  double seconds;      /* of the last run */
  double best_seconds; /* of all that completed */
  uint64_t findings;   /* of the option "check", but for suppressed ones */
} crosslane_stats;
crosslane_status crosslane_result_get_stats(const crosslane_result* result, crosslane_stats* stats);

typedef struct crosslane_fault {
  size_t size;
  const char* kind;        /* "unmapped address", "trap", ... */
  const char* kernel;      /* and the function in it */
  uint64_t pc;             /* of the instruction, from the start of the code object's image */
  const char* instruction; /* disassembly; may be "" */
  const char* source;      /* "file:line:column"; may be "" */
  uint32_t workgroup[3];
  uint32_t wave;      /* in the workgroup */
  int32_t lane;       /* -1: not one lane's doing */
  uint64_t address;   /* of data, if there is one */
  const char* detail; /* "12 bytes past the end of 'out' (4096 bytes)"; may be "" */
} crosslane_fault;
/* CROSSLANE_ERROR_NAME: there was none. */
crosslane_status crosslane_result_get_fault(crosslane_result* result, crosslane_fault* fault);

/* What was found out, as text; it lives as long as the result. `byte_count` may be NULL. CROSSLANE_ERROR_NAME: the
 * options did not ask for it, and the message says which would.
 *     printed                                         what the kernel printed
 *     profile.json  profile.html  profile.csv  profile.txt          profile
 *     findings.json  findings.sarif  findings.xml  findings.txt     check
 *     timing.json  timing.txt                                       time
 *     fidelity.json  fidelity.txt                                   fidelity
 *     counters.json  counters.txt                                   counters
 *     comparisons.txt                                               expect */
crosslane_status crosslane_result_document(crosslane_result* result, const char* name, const char** text,
                                           size_t* byte_count);

typedef struct crosslane_contents {
  size_t size;
  const void* bytes;
  size_t byte_count;
  crosslane_type element;
  uint32_t dimensions;
  const uint64_t* shape; /* of so many; row-major */
} crosslane_contents;
/* What a buffer of words holds now, by the name of its parameter, or "argN". It lives as long as the result. */
crosslane_status crosslane_result_get_buffer(crosslane_result* result, const char* name, crosslane_contents* contents);

#ifdef __cplusplus
}
#endif

#endif

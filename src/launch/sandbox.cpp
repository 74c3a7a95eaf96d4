// The filter, by libseccomp. It is linked statically: a library more would be loaded at every start.
#include "launch/sandbox.h"
#include "files/error.h"
#include "files/redirect.h"
#include "files/write.h"
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace crosslane::launch {

namespace {

struct Release {
  void operator()(void* filter) const { seccomp_release(filter); }
};
using Filter = std::unique_ptr<void, Release>;

// What needs no look at its arguments. Reading, asking, waiting; memory that is given back; ending.
constexpr int harmless[] = {
    // descriptors that are open
    SCMP_SYS(read), SCMP_SYS(readv), SCMP_SYS(pread64), SCMP_SYS(write), SCMP_SYS(writev), SCMP_SYS(pwrite64),
    SCMP_SYS(lseek), SCMP_SYS(close), SCMP_SYS(poll), SCMP_SYS(ppoll),
    // what files are there
    SCMP_SYS(stat), SCMP_SYS(lstat), SCMP_SYS(fstat), SCMP_SYS(newfstatat), SCMP_SYS(statx), SCMP_SYS(access),
    SCMP_SYS(faccessat), SCMP_SYS(faccessat2), SCMP_SYS(readlink), SCMP_SYS(readlinkat), SCMP_SYS(getcwd),
    SCMP_SYS(getdents64),
    // memory
    SCMP_SYS(brk), SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(madvise), SCMP_SYS(mincore),
    // threads
    SCMP_SYS(futex), SCMP_SYS(set_robust_list), SCMP_SYS(rseq), SCMP_SYS(membarrier), SCMP_SYS(sched_yield),
    SCMP_SYS(sched_getaffinity), SCMP_SYS(getcpu), SCMP_SYS(gettid), SCMP_SYS(exit), SCMP_SYS(exit_group),
    SCMP_SYS(wait4),
    // signals to this process
    SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn), SCMP_SYS(rt_sigpending),
    SCMP_SYS(rt_sigtimedwait), SCMP_SYS(sigaltstack), SCMP_SYS(pause), SCMP_SYS(restart_syscall),
    // time
    SCMP_SYS(clock_gettime), SCMP_SYS(clock_getres), SCMP_SYS(clock_nanosleep), SCMP_SYS(nanosleep),
    SCMP_SYS(gettimeofday), SCMP_SYS(time), SCMP_SYS(times), SCMP_SYS(setitimer), SCMP_SYS(alarm),
    SCMP_SYS(timer_create), SCMP_SYS(timer_settime), SCMP_SYS(timer_delete),
    // what process and machine this is
    SCMP_SYS(getpid), SCMP_SYS(getppid), SCMP_SYS(getuid), SCMP_SYS(geteuid), SCMP_SYS(getgid), SCMP_SYS(getegid),
    SCMP_SYS(getrusage), SCMP_SYS(getrlimit), SCMP_SYS(uname), SCMP_SYS(sysinfo), SCMP_SYS(getrandom)};

// Flags of open() that write, or make a file.
constexpr uint64_t opens_for_writing = O_ACCMODE | O_CREAT | O_TRUNC;
constexpr uint64_t thread_flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD;
constexpr uint64_t namespace_flags =
    CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;

// What depends on one argument: the call is left if argument & mask == value.
struct Conditional {
  int call;
  unsigned argument;
  uint64_t mask, value;
};
std::array<Conditional, 17> conditional() {
  constexpr uint64_t all = ~uint64_t(0);
  return {{{SCMP_SYS(open), 1, opens_for_writing, O_RDONLY},
           {SCMP_SYS(openat), 2, opens_for_writing, O_RDONLY},
           {SCMP_SYS(mmap), 2, PROT_EXEC, 0},
           {SCMP_SYS(mprotect), 2, PROT_EXEC, 0},
           {SCMP_SYS(pkey_mprotect), 2, PROT_EXEC, 0},
           {SCMP_SYS(clone), 0, thread_flags | namespace_flags, thread_flags},
           {SCMP_SYS(tgkill), 0, all, uint64_t(getpid())}, // raise(), abort()
           {SCMP_SYS(prlimit64), 0, all, 0},
           {SCMP_SYS(fcntl), 1, all, F_GETFD},
           {SCMP_SYS(fcntl), 1, all, F_SETFD},
           {SCMP_SYS(fcntl), 1, all, F_GETFL},
           {SCMP_SYS(fcntl), 1, all, F_DUPFD_CLOEXEC},
           {SCMP_SYS(ioctl), 1, all, TCGETS}, // isatty()
           {SCMP_SYS(ioctl), 1, all, TIOCGWINSZ},
           {SCMP_SYS(prctl), 0, all, PR_SET_NAME},
           {SCMP_SYS(prctl), 0, all, PR_GET_NAME},
           {SCMP_SYS(prctl), 0, all, PR_SET_VMA}}};
}

// The error is a negative errno, as libseccomp has it.
int allow(void* filter, const Conditional& rule) {
  const scmp_arg_cmp compare = {rule.argument, SCMP_CMP_MASKED_EQ, rule.mask, rule.value};
  return seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, rule.call, 1, &compare);
}

int load(void* filter) {
  for (const int call : harmless)
    if (const int error = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, call, 0, nullptr))
      return error;
  for (const auto& rule : conditional())
    if (const int error = allow(filter, rule))
      return error;
  // Its flags are in memory, where no filter can look: without it the C library starts threads by clone().
  if (const int error = seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0, nullptr))
    return error;
  if (const int error = seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1))
    return error;
  return seccomp_load(filter);
}

} // namespace

llvm::Expected<std::unique_ptr<Sandbox>> Sandbox::prepare(std::vector<std::string> paths) {
  auto broker = Broker::start(std::move(paths), files::write);
  if (!broker)
    return broker.takeError();
  return std::unique_ptr<Sandbox>(new Sandbox(std::move(*broker)));
}

Sandbox::~Sandbox() { files::redirect_files({}); }

llvm::Error Sandbox::enter() {
  files::redirect_files(
      [this](const std::string& path, std::span<const uint8_t> contents) { return broker_->write(path, contents); });
  return restrict_system_calls();
}

llvm::Error restrict_system_calls() {
  const Filter filter(seccomp_init(SCMP_ACT_ERRNO(EPERM)));
  if (!filter)
    return fail("no memory for the sandbox");
  if (const int error = load(filter.get()))
    return fail("the system refuses the sandbox, which needs seccomp filters (CONFIG_SECCOMP_FILTER): {}",
                std::strerror(-error));
  return llvm::Error::success();
}

} // namespace crosslane::launch

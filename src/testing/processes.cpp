// fork(2) without exec(2), as all that a launch needs is here and nothing of it has been touched yet. What a test comes
// to goes through a file in memory, as does what it prints. A process has a group of its own, so that the compilers
// which it starts end with it; signals are this process's to tell.
#include "testing/processes.h"
#include "files/error.h"
#include "launch/launch.h"
#include "profile/watchdog.h"
#include "testing/verdict.h"
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <list>
#include <memory>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace crosslane::testing {

namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr Seconds grace(2);                                     // from being asked to end to being ended
constexpr size_t most_output = 1 << 20, most_result = 64 << 20; // bytes

class Descriptor {
public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() {
    if (fd_ >= 0)
      close(fd_);
  }
  operator int() const { return fd_; }

private:
  int fd_;
};

void write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t done = write(fd, text.data(), text.size());
    if (done < 0 && errno != EINTR)
      return;
    if (done > 0)
      text.remove_prefix(size_t(done));
  }
}

// From its beginning.
std::string read_all(int fd, size_t most) {
  struct stat status = {};
  if (fstat(fd, &status) != 0)
    return {};
  std::string text(std::min(size_t(status.st_size), most), '\0');
  size_t used = 0;
  while (used < text.size()) {
    const ssize_t done = pread(fd, text.data() + used, text.size() - used, off_t(used));
    if (done <= 0 && !(done < 0 && errno == EINTR))
      break;
    used += size_t(std::max<ssize_t>(done, 0));
  }
  text.resize(used);
  if (size_t(status.st_size) > most)
    text += fmt::format("\n... {} bytes more\n", size_t(status.st_size) - most);
  return text;
}

// The signals that end this process, as a descriptor to be polled; as they were at the end. Those that are ignored
// (nohup) stay so.
class Signals {
public:
  Signals() {
    sigemptyset(&asked_);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
      struct sigaction now = {};
      if (sigaction(signal, nullptr, &now) == 0 && now.sa_handler != SIG_IGN)
        sigaddset(&asked_, signal);
    }
    sigprocmask(SIG_BLOCK, &asked_, &before_);
    fd_ = Descriptor(signalfd(-1, &asked_, SFD_CLOEXEC | SFD_NONBLOCK));
  }
  ~Signals() { restore(); }
  void restore() const { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  int fd() const { return fd_; }
  int take() const { // 0: none came
    signalfd_siginfo info = {};
    return read(fd_, &info, sizeof info) == sizeof info ? int(info.ssi_signo) : 0;
  }

private:
  sigset_t asked_, before_;
  Descriptor fd_;
};

struct Child {
  size_t test;
  pid_t process;
  Descriptor handle, result, output; // handle: readable when it has ended
  Clock::time_point started;
  Clock::time_point limit; // of the next step against it
  bool asked = false;      // to end

  void signal(int number) const { kill(-process, number); }
};

// What is thrown must not get to the other process's code.
[[noreturn]] void be_child(const launch::Job& job, const Running& running, int result, int output) noexcept {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const Descriptor nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
  dup2(nothing, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  write_all(result, bytes_of(run_here(job, running)));
  std::fflush(nullptr);
  _exit(0);
}

class Processes {
public:
  Processes(std::span<const Case> tests, const Running& running,
            const std::function<void(size_t, const Outcome&)>& ended)
      : tests_(tests), running_(running), ended_(ended) {}

  int run() {
    while (next_ < tests_.size() || !children_.empty()) {
      while (!stopped_ && next_ < tests_.size() && children_.size() < running_.at_once)
        start(next_++);
      if (stopped_ && next_ < tests_.size()) {
        for (; next_ < tests_.size(); ++next_)
          ended_(next_, {});
        continue;
      }
      if (!children_.empty())
        wait();
    }
    return stopped_;
  }

private:
  void start(size_t index) {
    const Case& test = tests_[index];
    if (!test.job)
      return ended_(index, {.end = End::error, .complaints = {test.why}});
    Child child{.test = index,
                .process = -1,
                .handle = Descriptor(),
                .result = Descriptor(memfd_create("result", MFD_CLOEXEC)),
                .output = Descriptor(memfd_create("output", MFD_CLOEXEC)),
                .started = Clock::now(),
                .limit = Clock::time_point::max()};
    std::fflush(nullptr); // or it would be written twice
    if (child.result >= 0 && child.output >= 0)
      child.process = fork();
    if (child.process == 0) {
      signals_.restore();
      be_child(*test.job, running_, child.result, child.output);
    }
    if (child.process > 0) {
      setpgid(child.process, child.process); // whoever comes first
      child.handle = Descriptor(int(syscall(SYS_pidfd_open, child.process, 0)));
    }
    if (child.handle < 0) {
      const std::string why = std::strerror(errno);
      if (child.process > 0)
        child.signal(SIGKILL), waitpid(child.process, nullptr, 0);
      return ended_(index,
                    {.end = End::error, .complaints = {{"", fmt::format("no process can be started: {}", why)}}});
    }
    if (running_.timeout > 0) // the process ends by itself then, but for a compiler that hangs
      child.limit = child.started + std::chrono::duration_cast<Clock::duration>(Seconds(running_.timeout) + grace);
    children_.push_back(std::move(child));
  }

  void wait() {
    std::vector<pollfd> polled = {{signals_.fd(), POLLIN, 0}};
    auto limit = Clock::time_point::max();
    for (const Child& child : children_)
      polled.push_back({child.handle, POLLIN, 0}), limit = std::min(limit, child.limit);
    int milliseconds = -1;
    if (limit != Clock::time_point::max()) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(limit - Clock::now()).count();
      milliseconds = int(std::clamp<int64_t>(left, 0, 3'600'000));
    }
    poll(polled.data(), polled.size(), milliseconds);
    if (const int signal = signals_.take())
      stop(signal);
    size_t at = 1;
    for (auto child = children_.begin(); child != children_.end(); ++at) {
      if (polled[at].revents) {
        end(*child);
        child = children_.erase(child);
      } else {
        if (Clock::now() >= child->limit)
          press(*child);
        ++child;
      }
    }
  }

  // Ctrl-C: the first one asks, the second one does not.
  void stop(int signal) {
    for (Child& child : children_)
      child.limit = Clock::now(), child.asked |= stopped_ != 0;
    stopped_ = signal;
  }

  void press(Child& child) {
    child.signal(child.asked ? SIGKILL : SIGTERM);
    child.asked = true;
    child.limit = Clock::now() + std::chrono::duration_cast<Clock::duration>(grace);
  }

  void end(const Child& child) {
    child.signal(SIGKILL); // what it has left running
    int status = 0;
    while (waitpid(child.process, &status, 0) < 0 && errno == EINTR)
      ;
    const double seconds = Seconds(Clock::now() - child.started).count();
    auto outcome = outcome_of(read_all(child.result, most_result));
    const bool whole = outcome && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    Outcome told;
    if (whole)
      told = std::move(*outcome);
    else
      told = lost(child, status);
    if (!outcome)
      llvm::consumeError(outcome.takeError());
    told.output += read_all(child.output, most_output);
    told.seconds = seconds;
    ended_(child.test, told);
  }

  // Of a process that said nothing, or not all.
  Outcome lost(const Child& child, int status) const {
    if (stopped_)
      return {};
    const std::string place = fmt::format("{}:1:1", tests_[child.test].name);
    if (child.asked)
      return {.end = End::failed,
              .complaints = {{place, fmt::format("the time limit of {} s is over, and the test was "
                                                 "ended before its kernel ran to an end",
                                                 running_.timeout)}}};
    const std::string how = WIFSIGNALED(status)
                                ? fmt::format("by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)))
                                : fmt::format("with status {}, and no result", WEXITSTATUS(status));
    return {.end = End::error, .complaints = {{place, fmt::format("the process of the test ended {}", how)}}};
  }

  const std::span<const Case> tests_;
  const Running& running_;
  const std::function<void(size_t, const Outcome&)>& ended_;
  const Signals signals_;
  std::list<Child> children_;
  size_t next_ = 0;
  int stopped_ = 0;
};

} // namespace

Outcome run_here(const launch::Job& asked, const Running& running) {
  const auto started = Clock::now();
  launch::Job job = asked;
  if (!job.threads && running.at_once > 1)
    job.threads = std::max(1u, std::thread::hardware_concurrency() / running.at_once);
  std::vector<std::string> notes;
  launch::Observer observer;
  observer.note = [&](const std::string& text) { notes.push_back(text); };
  std::unique_ptr<profile::Watchdog> limit;
  if (running.timeout > 0) {
    observer.runs_begin = [&](launch::Stop& stop) {
      const double left = running.timeout - Seconds(Clock::now() - started).count();
      limit = std::make_unique<profile::Watchdog>(std::max(left, 1e-3), [&stop] { stop.expire(); });
    };
    observer.runs_end = [&] { limit.reset(); };
  }
  auto result = launch::launch(job, observer);
  Outcome outcome = result ? judge(job, *result) : refuse(job, llvm::toString(result.takeError()));
  outcome.notes = std::move(notes);
  return outcome;
}

int run(std::span<const Case> tests, const Running& running, const std::function<void(size_t, const Outcome&)>& ended) {
  return Processes(tests, running, ended).run();
}

} // namespace crosslane::testing

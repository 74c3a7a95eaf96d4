// A request is the path's number, a length, and the contents; the answer a length and the text of the error, or 0.
#include "launch/broker.h"
#include "files/error.h"
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace crosslane::launch {

namespace {

// By read() or write(), which may do less than is asked.
template <class Byte, class Call> bool transfer(int pipe, std::span<Byte> bytes, Call call) {
  while (!bytes.empty()) {
    const ssize_t done = call(pipe, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR)
      continue;
    if (done <= 0)
      return false;
    bytes = bytes.subspan(static_cast<size_t>(done));
  }
  return true;
}
bool send(int pipe, std::span<const uint8_t> bytes) { return transfer(pipe, bytes, ::write); }
bool receive(int pipe, std::span<uint8_t> bytes) { return transfer(pipe, bytes, ::read); }
template <class T> std::span<uint8_t> bytes_of(T& value) { return {reinterpret_cast<uint8_t*>(&value), sizeof value}; }

struct Request {
  uint64_t path, size;
};

// Whoever sends may be anybody by now: memory is taken as contents arrive.
bool receive_contents(int pipe, uint64_t size, std::vector<uint8_t>& contents) {
  constexpr uint64_t piece = 1 << 20;
  contents.clear();
  while (contents.size() < size) {
    const size_t at = contents.size();
    contents.resize(at + std::min<uint64_t>(piece, size - at));
    if (!receive(pipe, std::span(contents).subspan(at)))
      return false;
  }
  return true;
}

void serve(int requests, int answers, const std::vector<std::string>& paths, Broker::Writer writer) {
  Request request{};
  std::vector<uint8_t> contents;
  while (receive(requests, bytes_of(request)) && request.path < paths.size() &&
         receive_contents(requests, request.size, contents)) {
    auto error = writer(paths[request.path], contents);
    const std::string text = error ? llvm::toString(std::move(error)) : "";
    uint64_t size = text.size();
    if (!send(answers, bytes_of(size)) || !send(answers, {reinterpret_cast<const uint8_t*>(text.data()), text.size()}))
      return;
  }
}

// Ctrl-C is for the other process, which still has results to write then.
void ignore_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGTSTP})
    std::signal(signal, SIG_IGN);
}

// That nobody reads a pipe is an error that write() tells, not the end of this process.
class NoSigpipe {
public:
  NoSigpipe() {
    struct sigaction ignore = {};
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &ignore, &before_);
  }
  ~NoSigpipe() { sigaction(SIGPIPE, &before_, nullptr); }

private:
  struct sigaction before_;
};

} // namespace

llvm::Expected<std::unique_ptr<Broker>> Broker::start(std::vector<std::string> paths, Writer writer) {
  int requests[2], answers[2];
  if (pipe2(requests, O_CLOEXEC) != 0)
    return fail("no pipe for the sandbox: {}", std::strerror(errno));
  const bool both = pipe2(answers, O_CLOEXEC) == 0;
  const pid_t child = both ? fork() : -1;
  if (child < 0) {
    const int error = errno;
    for (const int end : {requests[0], requests[1], both ? answers[0] : -1, both ? answers[1] : -1})
      close(end);
    return fail("no process beside the sandbox: {}", std::strerror(error));
  }
  if (child == 0) {
    close(requests[1]), close(answers[0]);
    ignore_signals();
    try {
      serve(requests[0], answers[1], paths, writer);
    } catch (const std::exception&) {
      _exit(1); // out of memory: the sender reads the end of the answers
    }
    _exit(0);
  }
  close(requests[0]), close(answers[1]);
  return std::unique_ptr<Broker>(new Broker(std::move(paths), child, requests[1], answers[0]));
}

Broker::~Broker() {
  close(requests_), close(answers_);
  while (waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

llvm::Error Broker::write(const std::string& path, std::span<const uint8_t> contents) {
  const auto place = std::find(paths_.begin(), paths_.end(), path);
  if (place == paths_.end())
    return fail("{}: the sandbox writes only what the command line names", path);
  const NoSigpipe guard;
  Request request = {static_cast<uint64_t>(place - paths_.begin()), contents.size()};
  uint64_t size = 0;
  std::string text;
  if (send(requests_, bytes_of(request)) && send(requests_, contents) && receive(answers_, bytes_of(size))) {
    text.resize(size);
    if (receive(answers_, {reinterpret_cast<uint8_t*>(text.data()), text.size()}))
      return text.empty() ? llvm::Error::success() : fail("{}", text);
  }
  return fail("{}: the process that writes for the sandbox has ended", path);
}

} // namespace crosslane::launch

// Owns the process that writes the files of a launch which runs in the sandbox (launch/sandbox.h): a child, forked
// before, which knows the names that may be written and takes nothing but contents for them. Whatever becomes of the
// process that runs the kernel, it can only write what the command line asked for.
#pragma once
#include <llvm/Support/Error.h>
#include <memory>
#include <span>
#include <string>
#include <sys/types.h>
#include <vector>

namespace crosslane::launch {

class Broker {
public:
  using Writer = llvm::Error (*)(const std::string& path, std::span<const uint8_t> contents);

  // Forks: while there is one thread. The child calls `writer` for `paths`, and ends with this object or this process.
  static llvm::Expected<std::unique_ptr<Broker>> start(std::vector<std::string> paths, Writer writer);
  ~Broker();

  // What the child's writer says. A path that start() was not given is refused.
  llvm::Error write(const std::string& path, std::span<const uint8_t> contents);

private:
  Broker(std::vector<std::string> paths, pid_t child, int requests, int answers)
      : paths_(std::move(paths)), child_(child), requests_(requests), answers_(answers) {}

  std::vector<std::string> paths_;
  pid_t child_;
  int requests_, answers_; // pipes
};

} // namespace crosslane::launch

// Owns what the ranks of a fleet say to each other: short messages, which arrive whole and in order, between rank 0 and
// each other one. MPI is one way (open_mpi); tests have another.
#pragma once
#include <llvm/Support/Error.h>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace crosslane::fleet {

class Transport {
public:
  struct Message {
    int from = 0;
    std::string bytes;
  };
  virtual ~Transport() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  // Ranks on this machine, this one too.
  virtual int neighbours() const = 0;
  // Bytes of a message, at most.
  virtual size_t longest() const = 0;
  // Whoever is not there any more does not get it, which is no error.
  virtual void send(int to, std::string_view bytes) = 0;
  // What has arrived; does not wait.
  virtual std::optional<Message> receive() = 0;
  // The last call, with a status for the process; does not return from MPI. Of rank 0, `all`: every rank makes it; else
  // some do not answer, and those that are left end without them. The others learn it from rank 0.
  virtual void end(bool all, int status) = 0;
};

// Of the processes that mpirun or srun started together with this one. Opens a shared object beside the program, as
// only who asks for it needs an MPI. One a process.
llvm::Expected<std::unique_ptr<Transport>> open_mpi();

} // namespace crosslane::fleet

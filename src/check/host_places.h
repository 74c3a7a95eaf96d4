// Owns where in the host's program a call stands: the file, and as far as its debug information says so, the function
// and the line.
#pragma once
#include "check/host_stack.h"
#include "lint/placed.h"
#include <map>
#include <memory>

namespace crosslane::check {

class HostPlaces {
public:
  HostPlaces();
  ~HostPlaces();
  // Of return addresses. Without debug information the offset is the one in the file, as addr2line takes it, or the one
  // in a function that the file exports.
  lint::Place place(void* frame);
  // A finding at the innermost of the program's frames, with the others as its callers; frames may be empty: a thread
  // of the runtime's was it.
  lint::PlacedFinding finding(lint::Rule, const HostStack& program_frames, std::string message);

private:
  struct File;
  std::map<std::string, std::unique_ptr<File>> files_; // by path
  File& file(const std::string& path);
};

} // namespace crosslane::check

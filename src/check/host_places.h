// Owns where in the host's program a call stands: the file, and as far as its debug information says so, the function
// and the line.
#pragma once
#include "check/host_stack.h"
#include "lint/placed.h"
#include <map>
#include <memory>
#include <string_view>

namespace crosslane::check {

class HostPlaces {
public:
  HostPlaces();
  ~HostPlaces();
  // Of return addresses. Without debug information the offset is the one in the file, as addr2line takes it, or the one
  // in a function that the file exports. `called`: a function of the runtime; where its headers have another one of
  // that name, a template which calls it, the place is where that was called.
  lint::Place place(void* frame, std::string_view called = {});
  // A finding at the innermost of the program's frames, with the others as its callers; frames may be empty: a thread
  // of the runtime's was it.
  lint::PlacedFinding finding(lint::Rule, const HostStack& program_frames, std::string_view called,
                              std::string message);

private:
  struct File;
  std::map<std::string, std::unique_ptr<File>> files_; // by path
  File& file(const std::string& path);
};

} // namespace crosslane::check

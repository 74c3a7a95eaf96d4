// Runs the crosslane command as a user would.
#pragma once
#include "launch/values.h"
#include "tests/expected.h"
#include <string>
#include <vector>

namespace crosslane::cli::test {

using namespace crosslane::test;
using launch::Buffer;

struct Result {
  int status = -1; // -1: killed
  int signal = 0;  // that killed it
  std::string out, err;
};

// A folder for the files of one test, gone at its end.
class Folder {
public:
  Folder();
  ~Folder();
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

private:
  std::string path_;
};

Result run(const std::string& program, const std::vector<std::string>& words, const std::string& standard_input = "");
Result crosslane(const std::vector<std::string>& words, const std::string& standard_input = "");
std::string input(const std::string& name); // path of a file under tests/cli/inputs
Buffer read_npy(const std::string& path);
// Element `i` of a buffer as T, whose size is the element's.
template <class T> T at(const Buffer& buffer, size_t i) {
  T value{};
  if ((i + 1) * sizeof(T) > buffer.bytes.size())
    ADD_FAILURE() << "element " << i << " of " << describe(buffer);
  else
    __builtin_memcpy(&value, buffer.bytes.data() + i * sizeof(T), sizeof(T));
  return value;
}

} // namespace crosslane::cli::test

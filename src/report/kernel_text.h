// Owns the text of one kernel in the summary: labelled sentences and tables. Not for users of the layer.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace crosslane::report {

class KernelText {
public:
  explicit KernelText(unsigned width) : width_(width) {}
  void add(const char* label, const std::string& sentence);
  void add_table(const char* label, const std::vector<std::vector<std::string>>& rows, const std::string& alignment);
  std::string take() { return std::move(text_); }

private:
  unsigned width_;
  std::string text_;
};

// "1 launch", "1,024 accesses".
std::string plural(uint64_t count, const std::string& noun);

} // namespace crosslane::report

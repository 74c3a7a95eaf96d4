// Labels stand in a column of their own.
#include "report/kernel_text.h"
#include "findings/text.h"
#include <algorithm>
#include <fmt/format.h>

namespace crosslane::report {

using namespace findings;

void KernelText::add(const char* label, const std::string& sentence) {
  const std::string lead = fmt::format("  {:<11}", label);
  const std::string text = wrapped(sentence, width_, std::string(lead.size(), ' '));
  text_ += lead + text.substr(std::min(text.size(), lead.size()));
}

void KernelText::add_table(const char* label, const std::vector<std::vector<std::string>>& rows,
                           const std::string& alignment) {
  const std::string lead = fmt::format("  {:<11}", label);
  const std::string text = aligned(rows, alignment, width_, std::string(lead.size(), ' '));
  text_ += rows.empty() ? "" : lead + text.substr(lead.size());
}

std::string plural(uint64_t count, const std::string& noun) {
  const bool hissing = noun.ends_with("s") || noun.ends_with("ch");
  return fmt::format("{}{}{}{}", thousands(count), no_break, noun, count == 1 ? "" : hissing ? "es" : "s");
}

} // namespace crosslane::report

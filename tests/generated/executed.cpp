// Blocks are named when they are first seen: their code may be gone later.
#include "tests/generated/executed.h"
#include "isa/print.h"

namespace crosslane::generated {

void Executed::issued(const events::Issued& event) {
  std::lock_guard lock(mutex_);
  Entry& entry = blocks_[event.block->id];
  if (entry.count++ == 0)
    for (const auto& site : event.block->sites) {
      std::string text = isa::print(*site.instruction);
      text = text.substr(0, text.find(' '));
      const bool dpp = site.instruction->form == isa::Form::dpp && !text.ends_with("_dpp");
      entry.mnemonics.push_back(text + (dpp ? "_dpp" : ""));
    }
}

std::map<std::string, uint64_t> Executed::counts() const {
  std::lock_guard lock(mutex_);
  std::map<std::string, uint64_t> all;
  for (const auto& [id, entry] : blocks_)
    for (const auto& m : entry.mnemonics)
      all[m] += entry.count;
  return all;
}

} // namespace crosslane::generated

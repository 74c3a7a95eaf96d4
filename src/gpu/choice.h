// Owns what users name a card by: its name, a gfx name, or a TOML file of a card of their own (gpu/machine.h), which
// programs see as a card too.
#pragma once
#include "gpu/machine.h"
#include <llvm/Support/Error.h>
#include <memory>

namespace crosslane::gpu {

struct Choice {
  const Card* card = nullptr;             // as programs see it; as long as the process lives
  std::shared_ptr<const Machine> of_file; // null: a name
  Machine machine() const { return of_file ? *of_file : gpu::machine(*card); }
};

// Does it name a file? Its name ends in ".toml".
bool is_file(std::string_view name);
// The error says what there is, or what is wrong in which line.
llvm::Expected<Choice> choose(const std::string& name);
// What programs see of a card that started from `base`: what the parameters say differently, the rest is the base's.
Card card_of(const Machine&, const Card& base);

} // namespace crosslane::gpu

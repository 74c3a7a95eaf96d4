// Owns cards as text and JSON: which there are, and what is known of the timing of one.
#pragma once
#include "gpu/machine.h"
#include <llvm/Support/Error.h>
#include <nlohmann/json.hpp>

namespace crosslane::cli {

// A card, a gfx name, or a file of TOML.
llvm::Expected<gpu::Machine> find_machine(const std::string& name);
std::string machine_list();
nlohmann::ordered_json machine_list_json();
std::string machine_text(const gpu::Machine&);
nlohmann::ordered_json machine_json(const gpu::Machine&);

} // namespace crosslane::cli

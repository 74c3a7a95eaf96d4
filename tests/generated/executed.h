// Owns counting what the kernels executed: how often each mnemonic, in which forms.
#pragma once
#include "events/listener.h"
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace crosslane::generated {

class Executed final : public events::Listener {
public:
  bool wants_issued() const override { return true; }
  void issued(const events::Issued&) override;
  // Mnemonic with its form's suffix ("v_add_f32_dpp") -> wave-instructions.
  std::map<std::string, uint64_t> counts() const;

private:
  struct Entry {
    std::vector<std::string> mnemonics;
    uint64_t count = 0;
  };
  mutable std::mutex mutex_;
  std::unordered_map<uint32_t, Entry> blocks_;
};

} // namespace crosslane::generated

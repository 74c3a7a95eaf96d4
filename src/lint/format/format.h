// Owns the forms in which findings are told, each as one string. Nothing here prints.
#pragma once
#include "lint/placed.h"
#include <span>

namespace crosslane::lint {

struct TextStyle {
  bool colour = false;
  size_t most = SIZE_MAX; // findings; how many are left out is said
};

// As compilers write it: place, severity, message and id, the line with a caret, notes and the fix.
std::string text_of(std::span<const Judged>, const TextStyle&);

} // namespace crosslane::lint

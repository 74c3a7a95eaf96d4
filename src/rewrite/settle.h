// Owns what new neighbours need of each other: code is laid out, written, and judged as lint judges it; what it finds
// that was not there before is mended by wait states and waits put in, until it finds nothing new.
#pragma once
#include "lint/subject.h"
#include "rewrite/layout.h"

namespace crosslane::rewrite {

using Finish = std::function<llvm::Expected<std::vector<uint8_t>>(const LaidOut&)>;

// `address`: of the new code, as a loaded one. `finish` makes the file. The error says what cannot be mended.
llvm::Expected<std::vector<uint8_t>> settle(const lint::Subject& before, Listing&, const LayoutOptions&, const Finish&);

} // namespace crosslane::rewrite

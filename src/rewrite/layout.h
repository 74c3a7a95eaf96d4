// Owns giving a listing addresses and making bytes of it: distances of branches, islands for those that are too far.
#pragma once
#include "codeobject/write.h"
#include "rewrite/listing.h"
#include <functional>
#include <llvm/Support/Error.h>

namespace crosslane::rewrite {

struct LaidOut {
  std::vector<uint8_t> bytes;
  std::vector<uint64_t> chunks; // address of each
  // Runs of the input's instructions and where they are now, in the order of the new addresses.
  std::vector<codeobject::MovedCode> moved;
  uint32_t islands = 0;
};

struct LayoutOptions {
  uint64_t address = 0;           // of the first byte, a multiple of 256
  uint32_t branch_reach = 0x7fff; // dwords, forwards and backwards; less only to try islands
};

// `bytes_at`: `size` bytes of the input at an address. Adds islands to the listing. The error says what is too far.
llvm::Expected<LaidOut> lay_out(Listing&, const LayoutOptions&,
                                const std::function<const uint8_t*(uint64_t address, uint32_t size)>& bytes_at);

} // namespace crosslane::rewrite

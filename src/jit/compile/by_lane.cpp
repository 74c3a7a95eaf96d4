// Values of lanes in memory, where code goes from lane to lane (by_lane.h).
#include "jit/compile/emitter.h"

namespace crosslane::jit {

// A value by lane, in memory of the function's own.
Value* Emitter::by_lane(const Lane& l) {
  Value* items = lane_items();
  for (int r = 0; r < rows; ++r)
    b_.CreateAlignedStore(row_of(l, r), b_.CreateConstInBoundsGEP1_64(words_, items, uint64_t(r)), llvm::Align(64));
  return items;
}

Value* Emitter::lane_items() {
  if (free_items_.empty())
    free_items_.push_back(at_entry([&] {
      auto* items = b_.CreateAlloca(llvm::ArrayType::get(words_, rows));
      items->setAlignment(llvm::Align(64));
      return items;
    }));
  Value* items = free_items_.back();
  free_items_.pop_back();
  return items;
}

} // namespace crosslane::jit

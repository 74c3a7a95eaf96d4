// Values of lanes in memory, where code goes from lane to lane.
#include "jit/compile/by_lane.h"

namespace crosslane::jit {

// Memory of the function's own: four rows of lanes.
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

Emitter::ByLane Emitter::by_lane(const Lane& l) {
  if (l.uniform())
    return {nullptr, l.base};
  Value* items = lane_items();
  by_row(items, [&](int r, Value* p) { b_.CreateAlignedStore(row_of(l, r), p, llvm::Align(64)); });
  return {items, nullptr};
}
Emitter::ByLane Emitter::by_lane(const Rows& of) {
  Lane l;
  l.kind = Lane::vector, l.row = of;
  return by_lane(l);
}

Value* Emitter::in_lane(const ByLane& v, Value* lane) {
  return v.items ? b_.CreateAlignedLoad(int32_, b_.CreateGEP(int32_, v.items, lane), llvm::Align(4)) : v.same;
}

Value* Emitter::in_lane_of(const Lane& l, Value* lane) {
  if (dry_)
    return poison(int32_);
  const ByLane values = by_lane(l);
  Value* v = in_lane(values, lane);
  give_back({values});
  return v;
}

void Emitter::give_back(std::initializer_list<ByLane> all) {
  for (const ByLane& v : all)
    if (v.items)
      free_items_.push_back(v.items);
}

Emitter::Places Emitter::places_of(const Access& a) {
  return {by_lane(a.offset), a.high[0] ? by_lane(a.high) : ByLane()};
}

Value* Emitter::place_in_lane(const Access& a, const Places& places, Value* lane) {
  Value* offset = in_lane(places.offset, lane);
  if (a.in_lds())
    return b_.CreateGEP(b_.getInt8Ty(), a.base, b_.CreateZExt(offset, int64_));
  if (a.high[0])
    offset = join_halves(offset, in_lane(places.high, lane));
  else
    offset = b_.CreateShl(a.signed_offset ? b_.CreateSExt(offset, int64_) : b_.CreateZExt(offset, int64_), a.shift);
  return b_.CreateIntToPtr(b_.CreateAdd(a.base, offset), b_.getPtrTy());
}

Value* Emitter::join_halves(Value* low, Value* high) {
  llvm::Type* type = low->getType()->isVectorTy() ? wide_ : int64_;
  return b_.CreateOr(b_.CreateZExt(low, type), b_.CreateShl(b_.CreateZExt(high, type), uint64_t(32)));
}

} // namespace crosslane::jit

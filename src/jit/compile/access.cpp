// Memory, row by row: what lies side by side, or at one place, by plain accesses; all else by gathers and scatters.
// What nothing is known of is looked at when it runs: often it lies side by side all the same.
#include "jit/compile/access.h"
#include "engine/compiled.h"
#include "jit/compile/by_lane.h"
#include "jit/compile/corners.h"
#include <llvm/IR/Intrinsics.h>

namespace crosslane::jit {

// Where the first lane of a row accesses memory: of affine offsets, which do not wrap.
Value* Emitter::first_of(const Access& a, int row) {
  Value* offset = b_.CreateZExt(a.offset.base, int64_);
  Value* first = a.in_lds() ? b_.CreateGEP(b_.getInt8Ty(), a.base, offset)
                            : b_.CreateIntToPtr(b_.CreateAdd(a.base, offset), b_.getPtrTy());
  if (const int64_t offset = a.offset.offset(row))
    first = b_.CreateGEP(b_.getInt8Ty(), first, i64(uint64_t(offset)));
  const uint32_t times = a.offset.times(row);
  if (!a.offset.dynamic || !times)
    return first;
  return b_.CreateGEP(b_.getInt8Ty(), first, b_.CreateMul(b_.CreateSExt(a.offset.step, int64_), i64(times)));
}

// ... and its last eight lanes.
Value* Emitter::half_of(const Access& a, Value* first) {
  Value* half = b_.CreateGEP(b_.getInt8Ty(), first, i64(uint64_t(a.offset.to_half())));
  if (!a.offset.dynamic || !a.offset.by[0])
    return half;
  return b_.CreateGEP(b_.getInt8Ty(), half, b_.CreateMul(b_.CreateSExt(a.offset.step, int64_), i64(a.offset.by[0])));
}

// Of a row of lanes, whatever their addresses. Gathers take signed offsets of 32 bits; LDS is small enough for that.
Value* Emitter::pointers(const Access& a, int row, uint32_t add) {
  if (!a.scattered() && a.offset.whole_rows() && !a.high[0] && a.in_lds()) // constants from the first lane on
    return b_.CreateGEP(b_.getInt8Ty(), first_of(a, row), b_.CreateAdd(iota(a.offset.column), splat(i32(add))));
  Value* offsets = row_of(a.offset, row);
  if (a.high[0]) {
    Value* address =
        b_.CreateOr(b_.CreateZExt(offsets, wide_), b_.CreateShl(b_.CreateZExt(a.high[size_t(row)], wide_), 32));
    return b_.CreateIntToPtr(b_.CreateAdd(address, b_.CreateVectorSplat(16, b_.CreateAdd(a.base, i64(add)))),
                             llvm::FixedVectorType::get(b_.getPtrTy(), 16));
  }
  if (a.in_lds())
    return b_.CreateGEP(b_.getInt8Ty(), a.base, b_.CreateAdd(offsets, splat(i32(add))));
  const uint64_t half = a.signed_offset ? 0 : uint64_t(1) << 31;
  Value* middle = b_.CreateIntToPtr(b_.CreateAdd(a.base, i64((half << a.shift) + add)), b_.getPtrTy());
  return b_.CreateGEP(b_.getIntNTy(8u << a.shift), middle, b_.CreateXor(offsets, splat(i32(uint32_t(half)))));
}

// Whether in each row all lanes that access anything lie side by side; `firsts`: where a row begins. Null: not asked.
Value* Emitter::side_by_side(const Access& a, Rows& firsts) {
  const uint32_t step = a.bytes >> a.shift;
  if (!a.scattered() || step << a.shift != a.bytes || (a.is_private && a.bytes < 4) || dry_)
    return nullptr;
  Value *all = nullptr, *together = b_.getTrue();
  for (int r = 0; r < rows; ++r) {
    Value* offsets = row_of(a.offset, r);
    Value* first = b_.CreateExtractElement(offsets, uint64_t(0));
    Value* side = b_.CreateICmpEQ(offsets, b_.CreateAdd(splat(first), iota(int32_t(step))));
    Value* distance =
        b_.CreateShl(a.signed_offset ? b_.CreateSExt(first, int64_) : b_.CreateZExt(first, int64_), uint64_t(a.shift));
    if (a.high[0]) { // the same one
      Value* high = a.high[size_t(r)];
      Value* first_high = b_.CreateExtractElement(high, uint64_t(0));
      side = b_.CreateAnd(side, b_.CreateICmpEQ(high, splat(first_high)));
      distance = b_.CreateOr(distance, b_.CreateShl(b_.CreateZExt(first_high, int64_), 32));
    }
    if (!all_lanes())
      side = b_.CreateOr(side, b_.CreateNot(mask_row(exec(), r)));
    all = all ? b_.CreateAnd(all, side) : side;
    together = b_.CreateAnd(together, a.signed_offset ? b_.CreateICmpSLE(first, i32(0x7fffffff - 15 * step))
                                                      : b_.CreateICmpULE(first, i32(~(15 * step))));
    firsts[size_t(r)] = a.in_lds() ? b_.CreateGEP(b_.getInt8Ty(), a.base, distance)
                                   : b_.CreateIntToPtr(b_.CreateAdd(a.base, distance), b_.getPtrTy());
  }
  return b_.CreateAnd(together, b_.CreateAndReduce(all));
}

llvm::Type* Emitter::item_of(const Access& a) { return a.bytes == 1 ? b_.getInt8Ty() : a.bytes == 2 ? int16_ : int32_; }
Value* Emitter::widened(const Access& a, Value* v, llvm::Type* to) {
  return a.bytes >= 4 ? v : a.is_signed ? b_.CreateSExt(v, to) : b_.CreateZExt(v, to);
}
// Into `out`: a row of each dword.
void Emitter::load_side_by_side(const Access& a, int r, Value* from, std::vector<Value*>& out) {
  load_items(item_of(a), from, llvm::Align(a.align), all_lanes() ? nullptr : mask_row(exec(), r), a.is_volatile, out);
  if (out.size() == 1)
    out[0] = widened(a, out[0], words_);
}

// Eight lanes side by side, and eight.
Value* Emitter::load_halves(const Access& a, int r, Value* first) {
  Value *from[2] = {first, half_of(a, first)}, *loaded[2];
  auto* type = llvm::FixedVectorType::get(item_of(a), 8);
  for (int h = 0; h < 2; ++h)
    if (all_lanes())
      loaded[h] = b_.CreateAlignedLoad(type, from[h], llvm::Align(a.align), a.is_volatile);
    else
      loaded[h] = b_.CreateMaskedLoad(type, from[h], llvm::Align(a.align), half_row(mask_row(exec(), r), h),
                                      llvm::Constant::getNullValue(type));
  return widened(a, join_half_rows(loaded[0], loaded[1]), words_);
}
void Emitter::store_halves(const Access& a, int r) {
  Value* first = first_of(a, r);
  Value* data = b_.CreateTrunc(data_of(a, r)[0], llvm::FixedVectorType::get(item_of(a), 16));
  Value* to[2] = {first, half_of(a, first)};
  for (int h = 0; h < 2; ++h)
    if (all_lanes())
      b_.CreateAlignedStore(half_row(data, h), to[h], llvm::Align(a.align), a.is_volatile);
    else
      b_.CreateMaskedStore(half_row(data, h), to[h], llvm::Align(a.align), half_row(mask_row(exec(), r), h));
}

void Emitter::gather(const Access& a, int r, std::vector<Value*>& out) {
  llvm::Type* type = llvm::FixedVectorType::get(item_of(a), 16);
  for (uint32_t d = 0; d < a.dwords(); ++d)
    out[d] = widened(a,
                     b_.CreateMaskedGather(type, pointers(a, r, 4 * d), llvm::Align(a.align), lanes_there(a, r, d),
                                           llvm::Constant::getNullValue(type)),
                     words_);
}

// ---- Limits

// Whether dword `d` of an item at this offset, an i64, is there.
Value* Emitter::is_there(const Access& a, Value* offset, uint32_t d) {
  return b_.CreateICmpSLE(b_.CreateAdd(offset, i64(4 * d + std::min(a.bytes, 4u))), a.limit);
}
// Of a row, the lanes that access it.
Value* Emitter::lanes_there(const Access& a, int row, uint32_t d) {
  Value* lanes = mask_row(exec(), row);
  return a.limit ? b_.CreateAnd(lanes, is_below_limit(a, row, 4 * d + std::min(a.bytes, 4u))) : lanes;
}
// So many bytes of each lane, of a limit that is less than 2^32.
Value* Emitter::is_below_limit(const Access& a, int row, uint32_t bytes) {
  Value* last = b_.CreateSub(a.limit, i64(bytes));
  Value* below = b_.CreateICmpULE(row_of(a.offset, row), splat(b_.CreateTrunc(last, int32_)));
  return b_.CreateAnd(below, b_.CreateVectorSplat(16, b_.CreateICmpSGE(last, i64(0))));
}
// Whether all items are there, those of lanes that access nothing, too, where offsets are affine.
Value* Emitter::all_there(const Access& a) {
  if (a.offset.kind == Lane::affine) {
    const auto there = [&](Value* v) {
      return b_.CreateICmpSLE(b_.CreateAdd(b_.CreateZExt(v, int64_), i64(a.bytes)), a.limit);
    };
    Value* first = there(a.offset.base);
    return a.offset.uniform() ? first : b_.CreateAnd(first, at_corners(b_, a.offset, there));
  }
  Value* all = nullptr;
  for (int r = 0; r < rows; ++r) {
    Value* here = b_.CreateOr(is_below_limit(a, r, a.bytes), b_.CreateNot(mask_row(exec(), r)));
    all = all ? b_.CreateAnd(all, here) : here;
  }
  return b_.CreateAndReduce(all);
}

// Lane after lane, and of each lane dword after dword; what is not there goes to memory of the function's own.
void Emitter::store_there(const Access& a) {
  const Places places = places_of(a);
  const ByLane nowhere{lane_items(), nullptr};
  std::vector<ByLane> data;
  for (uint32_t d = 0; d < a.dwords(); ++d)
    data.push_back(by_lane(data_lane(a, d)));
  each_lane([&](Value* lane) {
    Value* offset = b_.CreateZExt(in_lane(places.offset, lane), int64_);
    Value* place = place_in_lane(a, places, lane);
    for (uint32_t d = 0; d < a.dwords(); ++d) {
      Value* to =
          b_.CreateSelect(is_there(a, offset, d), b_.CreateConstGEP1_32(b_.getInt8Ty(), place, 4 * d), nowhere.items);
      b_.CreateAlignedStore(b_.CreateTrunc(in_lane(data[d], lane), item_of(a)), to, llvm::Align(a.align));
    }
  });
  for (const ByLane& of : data)
    give_back({of});
  give_back({places.offset, nowhere});
}

// ---- Loads

// Items of several dwords, two at a time.
bool Emitter::gathers_pairs(const Access& a) const { return !is_narrow() && all_lanes() && !a.is_volatile; }
void Emitter::gather_pairs(const Access& a, int r, std::vector<Value*>& out) {
  llvm::Type* type = llvm::FixedVectorType::get(int64_, 16);
  uint32_t d = 0;
  for (; d + 1 < a.dwords(); d += 2) {
    Value* both = b_.CreateBitCast(b_.CreateMaskedGather(type, pointers(a, r, 4 * d), llvm::Align(a.align),
                                                         mask_row(exec(), r), llvm::Constant::getNullValue(type)),
                                   llvm::FixedVectorType::get(int32_, 32));
    std::vector<Value*> two(2);
    unweave({both}, two);
    out[d] = two[0], out[d + 1] = two[1];
  }
  if (d < a.dwords())
    out[d] = b_.CreateMaskedGather(words_, pointers(a, r, 4 * d), llvm::Align(a.align), mask_row(exec(), r),
                                   llvm::Constant::getNullValue(words_));
}

Value* Emitter::load_item(const Access& a, Value* from, uint32_t dword) {
  Value* p = b_.CreateConstGEP1_32(b_.getInt8Ty(), from, 4 * dword);
  return widened(a, b_.CreateAlignedLoad(item_of(a), p, llvm::Align(a.align), a.is_volatile), int32_);
}

// Whether so many VGPRs are vectors that are wanted later that the host's registers, of which each takes four, are used
// up twice over.
bool Emitter::is_crowded() const {
  uint32_t vectors = 0;
  for (uint32_t i = 0; i < first_tmp_; ++i)
    vectors += st_.v[i].kind == Lane::vector && live_[at_].test(live_lane(i));
  return vectors > 16;
}

// A row of each dword, of whatever addresses.
void Emitter::load_rows(const Access& a, LoadedRows& out) {
  const auto each_row = [&](auto f) {
    for (int r = 0; r < rows; ++r)
      f(r, out[size_t(r)]);
  };
  const auto elsewhere = [&] {
    if (a.dwords() > 1 && gathers_pairs(a))
      each_row([&](int r, Dwords& to) { gather_pairs(a, r, to); });
    else if (a.dwords() > 1)
      load_whole_items(a, out);
    else
      each_row([&](int r, Dwords& to) { gather(a, r, to); });
  };
  Rows firsts;
  if (a.lines())
    each_row([&](int r, Dwords& to) { load_side_by_side(a, r, first_of(a, r), to); });
  else if (a.half_lines())
    each_row([&](int r, Dwords& to) { to[0] = load_halves(a, r, first_of(a, r)); });
  else if (!a.scattered() && !a.offset.column)
    each_row([&](int r, Dwords& to) {
      Value *lanes = mask_row(exec(), r), *first = first_of(a, r);
      if (a.offset.whole_rows()) {
        Value* from = if_any(b_.CreateOrReduce(lanes), first);
        for (uint32_t d = 0; d < a.dwords(); ++d)
          to[d] = splat(load_item(a, from, d));
        return;
      }
      Value* from[2] = {if_any(b_.CreateOrReduce(half_row(lanes, 0)), first),
                        if_any(b_.CreateOrReduce(half_row(lanes, 1)), half_of(a, first))};
      for (uint32_t d = 0; d < a.dwords(); ++d)
        to[d] = join_half_rows(b_.CreateVectorSplat(8, load_item(a, from[0], d)),
                               b_.CreateVectorSplat(8, load_item(a, from[1], d)));
    });
  else if (Value* side = side_by_side(a, firsts); side && a.dwords() > 1 && !gathers_pairs(a))
    load_whole_items_or(side, firsts, a, out);
  else if (side)
    load_either(
        side, out, [&] { each_row([&](int r, Dwords& to) { load_side_by_side(a, r, firsts[size_t(r)], to); }); },
        elsewhere);
  else
    elsewhere();
}

// One way or the other.
template <class F, class G> void Emitter::load_either(Value* condition, LoadedRows& out, F f, G g) {
  const auto [yes, no, on] = fork(condition);
  f();
  const LoadedRows loaded = out;
  auto* const from_yes = b_.GetInsertBlock();
  b_.CreateBr(on);
  b_.SetInsertPoint(no);
  g();
  auto* const from_no = b_.GetInsertBlock();
  b_.CreateBr(on);
  b_.SetInsertPoint(on);
  for (size_t r = 0; r < rows; ++r)
    for (size_t d = 0; d < out[r].size(); ++d) {
      llvm::PHINode* phi = b_.CreatePHI(words_, 2);
      phi->addIncoming(loaded[r][d], from_yes), phi->addIncoming(out[r][d], from_no);
      out[r][d] = phi;
    }
}

// Where no lane is to read, anything else is read.
Value* Emitter::if_any(Value* lanes, Value* from) { return b_.CreateSelect(lanes, from, wave_); }

void Emitter::write_loaded(const Access& a, uint32_t dword, const Lane& loaded) {
  const uint32_t to = a.data + dword * machine::vgpr_bytes;
  if (a.part == Access::Part::whole)
    return loaded.kind == Lane::vector ? write_rows(to, loaded.row) : write_lane(to, loaded);
  const bool low = a.part == Access::Part::low;
  const Rows old = rows_at(to);
  Rows v = rows_of(loaded);
  for (size_t r = 0; r < rows; ++r)
    v[r] = b_.CreateOr(b_.CreateAnd(old[r], splat(i32(low ? 0xffff0000 : 0xffff))),
                       low ? b_.CreateAnd(v[r], splat(i32(0xffff))) : b_.CreateShl(v[r], uint64_t(16)));
  write_rows(to, v);
}

// Loads from LDS do not wait for their guards: what is read outside of it is never used, and where nothing is there the
// fault leaves as a guard does. Where registers are short they do, as LLVM would load all that it can at once.
void Emitter::load(const Access& a) {
  const uint32_t dwords = a.dwords();
  if (!a.in_lds() || request_.fail_every || is_crowded())
    settle_guards(true);
  has_read(a);
  if (a.offset.uniform()) { // one place for all lanes
    Value* lanes = any(exec());
    for (uint32_t d = 0; d < dwords; ++d) {
      Value* there = a.limit && !dry_ ? is_there(a, b_.CreateZExt(a.offset.base, int64_), d) : b_.getTrue();
      Value* v = dry_ ? poison(int32_) : load_item(a, if_any(b_.CreateAnd(lanes, there), first_of(a, 0)), d);
      write_loaded(a, d, uniform_lane(b_.CreateSelect(there, v, i32(0))));
    }
    return;
  }
  LoadedRows out;
  out.fill(Dwords(dwords, poison(words_)));
  if (!dry_ && a.limit) {
    Access whole = a;
    whole.limit = nullptr;
    load_either(
        all_there(a), out, [&] { load_rows(whole, out); },
        [&] {
          for (int r = 0; r < rows; ++r)
            gather(a, r, out[size_t(r)]);
        });
  } else if (!dry_) {
    load_rows(a, out);
  }
  for (uint32_t d = 0; d < dwords; ++d) {
    Lane v;
    v.kind = Lane::vector;
    for (size_t r = 0; r < rows; ++r)
      v.row[r] = out[r][d];
    write_loaded(a, d, v);
  }
}

// Two blocks, of which the builder is in the first, and one behind them.
std::array<llvm::BasicBlock*, 3> Emitter::fork(Value* condition) {
  std::array<llvm::BasicBlock*, 3> out;
  for (llvm::BasicBlock*& block : out)
    block = llvm::BasicBlock::Create(c_, "", function_);
  b_.CreateCondBr(condition, out[0], out[1]);
  b_.SetInsertPoint(out[0]);
  return out;
}

// ---- Stores

Lane Emitter::data_lane(const Access& a, uint32_t dword) {
  const Lane whole = read_lane(a.data + dword * machine::vgpr_bytes);
  if (a.part != Access::Part::high)
    return whole;
  if (whole.uniform())
    return uniform_lane(b_.CreateLShr(whole.base, uint64_t(16)));
  Lane high;
  high.kind = Lane::vector, high.row = rows_of(whole);
  for (Value*& row : high.row)
    row = b_.CreateLShr(row, uint64_t(16));
  return high;
}
std::vector<Value*> Emitter::data_of(const Access& a, int r) {
  std::vector<Value*> data;
  for (uint32_t d = 0; d < a.dwords(); ++d)
    data.push_back(row_of(data_lane(a, d), r));
  return data;
}

void Emitter::store_side_by_side(const Access& a, int r, Value* to, bool past_caches) {
  std::vector<Value*> data = data_of(a, r);
  if (data.size() == 1)
    data[0] = b_.CreateTrunc(data[0], llvm::FixedVectorType::get(item_of(a), 16));
  Value* lanes = all_lanes() ? nullptr : mask_row(exec(), r);
  store_items(data, to, llvm::Align(past_caches ? 64 : a.align), lanes, a.is_volatile, past_caches);
}

void Emitter::scatter(const Access& a, int r) {
  const std::vector<Value*> data = data_of(a, r);
  for (uint32_t d = 0; d < a.dwords(); ++d)
    b_.CreateMaskedScatter(b_.CreateTrunc(data[d], llvm::FixedVectorType::get(item_of(a), 16)), pointers(a, r, 4 * d),
                           llvm::Align(a.align), mask_row(exec(), r));
}

// The same, lane after lane.
void Emitter::store_by_lane(std::initializer_list<Access> all) {
  struct Dword {
    const Access& of;
    uint32_t offset;
    Places places;
    ByLane data;
  };
  std::vector<Dword> dwords;
  for (const Access& a : all) {
    const Places places = places_of(a);
    for (uint32_t d = 0; d < a.dwords(); ++d)
      dwords.push_back({a, 4 * d, places, by_lane(data_lane(a, d))});
  }
  const auto store = [&](const Dword& to, Value* lane) {
    Value* place = b_.CreateConstGEP1_32(b_.getInt8Ty(), place_in_lane(to.of, to.places, lane), to.offset);
    b_.CreateAlignedStore(b_.CreateTrunc(in_lane(to.data, lane), item_of(to.of)), place, llvm::Align(to.of.align),
                          to.of.is_volatile);
  };
  if (dwords.size() == 1) {
    each_lane([&](Value* lane) { store(dwords[0], lane); });
  } else {
    Value* mask = mask_bits(exec());
    each_row_of_lanes([&](Value* first) {
      for (const Dword& to : dwords)
        each_lane_of(first, 16, mask, [&](Value* lane) { store(to, lane); });
    });
  }
  for (const Dword& to : dwords) {
    give_back({to.data});
    if (!to.offset)
      give_back({to.places.offset, to.places.high});
  }
}

// All lanes to one place: what the last one stores stays.
void Emitter::store_last(const Access& a) {
  Value* lanes = mask_bits(exec());
  llvm::BasicBlock* on = nullptr;
  if (!all_lanes()) {
    const auto [some, none, behind] = fork(b_.CreateICmpNE(lanes, i64(0)));
    b_.SetInsertPoint(none);
    b_.CreateBr(behind);
    b_.SetInsertPoint(some);
    on = behind;
  }
  Value* last = b_.CreateSub(i64(63), b_.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, lanes, b_.getTrue()));
  Value* to = first_of(a, 0);
  for (uint32_t d = 0; d < a.dwords(); ++d) {
    const ByLane data = by_lane(data_lane(a, d));
    Value* v = in_lane(data, last);
    give_back({data});
    b_.CreateAlignedStore(b_.CreateTrunc(v, item_of(a)), b_.CreateConstGEP1_32(b_.getInt8Ty(), to, 4 * d),
                          llvm::Align(a.align), a.is_volatile);
  }
  if (on) {
    b_.CreateBr(on);
    b_.SetInsertPoint(on);
  }
}

// Whole lines of a dispatch that stores more than caches hold on to need not be read first: that is half of what a copy
// does. Rows begin at `firsts`, each side by side. Null: it is not such a store.
Value* Emitter::may_pass_caches(const Access& a, const Rows& firsts) {
  constexpr uint64_t much = 24 << 20;
  if (!ranges_ || a.in_lds() || a.is_private || a.bytes < 4 || a.bytes == 12 || !all_lanes() || a.is_volatile ||
      !stores_unseen())
    return nullptr;
  if (!all_waves_)
    at_entry([&]() -> Value* { // none, if it is not called with a range
      Value* there = b_.CreateAlignedLoad(
          int64_, b_.CreateSelect(ranging_, in_range(offsetof(engine::Range, all_waves)), wave_), llvm::Align(8));
      return all_waves_ = b_.CreateSelect(ranging_, there, i64(0));
    });
  Value* bits = nullptr;
  for (int r = 0; r < rows; ++r) {
    Value* place = b_.CreatePtrToInt(firsts[size_t(r)], int64_);
    bits = bits ? b_.CreateOr(bits, place) : place;
  }
  return b_.CreateAnd(b_.CreateICmpUGE(all_waves_, i64(much / (64 * a.bytes))),
                      b_.CreateICmpEQ(b_.CreateAnd(bits, i64(63)), i64(0)));
}

// Row by row, as the interpreter does: what overlaps between lanes is what was stored last.
void Emitter::store(std::initializer_list<Access> all) {
  for (const Access& a : all)
    about_to_store(a);
  const Access& one = *all.begin();
  st_.stored = st_.stored || !one.is_private;
  if (dry_)
    return;
  if (!one.limit)
    return store_all(all);
  Access whole = one;
  whole.limit = nullptr;
  const auto [inside, other, on] = fork(all_there(one));
  store_all({whole});
  b_.CreateBr(on);
  b_.SetInsertPoint(other);
  store_there(one);
  b_.CreateBr(on);
  b_.SetInsertPoint(on);
}

void Emitter::store_all(std::initializer_list<Access> all) {
  const int stored_rows = rows - request_.wrong;
  const Access& one = *all.begin();
  if (all.size() == 1 && one.offset.uniform())
    return store_last(one);
  const bool lines = one.lines();
  const bool whole = one.bytes > 4 && !lines;
  const auto rows_at = [&](const Rows& firsts, bool past_caches) {
    for (int r = 0; r < stored_rows; ++r)
      store_side_by_side(one, r, firsts[size_t(r)], past_caches);
  };
  const auto side_by_side_at = [&](const Rows& firsts) {
    Value* past = may_pass_caches(one, firsts);
    if (!past)
      return rows_at(firsts, false);
    passes_caches_ = true;
    const auto [streams, plain, on] = fork(past);
    rows_at(firsts, true);
    b_.CreateBr(on);
    b_.SetInsertPoint(plain);
    rows_at(firsts, false);
    b_.CreateBr(on);
    b_.SetInsertPoint(on);
  };
  Rows firsts;
  if (all.size() == 1 && lines) {
    for (int r = 0; r < rows; ++r)
      firsts[size_t(r)] = first_of(one, r);
    return side_by_side_at(firsts);
  }
  if (all.size() == 1 && one.half_lines()) {
    for (int r = 0; r < stored_rows; ++r)
      store_halves(one, r);
    return;
  }
  const auto elsewhere = [&] {
    if (whole) // of two, none
      return store_whole_items(one);
    if (is_narrow() && !lines && !request_.wrong)
      return store_by_lane(all);
    for (int r = 0; r < stored_rows; ++r)
      for (const Access& a : all)
        if (a.lines())
          store_side_by_side(a, r, first_of(a, r));
        else
          scatter(a, r);
  };
  Value* side = all.size() == 1 ? side_by_side(one, firsts) : nullptr;
  if (!side)
    return elsewhere();
  const auto [plain, other, on] = fork(side);
  side_by_side_at(firsts);
  b_.CreateBr(on);
  b_.SetInsertPoint(other);
  elsewhere();
  b_.CreateBr(on);
  b_.SetInsertPoint(on);
}

} // namespace crosslane::jit

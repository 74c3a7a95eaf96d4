// Items of several dwords that lie side by side in memory, lane after lane, and what registers have: a row of lanes of
// each dword; and items that lie anywhere. Where the host has no registers of 16 dwords they are loaded and stored by
// eight: LLVM 19 takes long over shuffles of several registers, and makes bytes of masks for them.
#include "jit/compile/access.h"
#include "jit/compile/by_lane.h"

namespace crosslane::jit {

namespace {

using Vectors = std::vector<Value*>;
using Picks = llvm::SmallVector<int, 64>;

constexpr uint64_t part_bytes = 32; // where there are several

// Of two vectors of eight.
constexpr std::array<int, 8> low{0, 1, 2, 3, 8, 9, 10, 11}, high{4, 5, 6, 7, 12, 13, 14, 15};
constexpr std::array<int, 8> low_dwords{0, 8, 1, 9, 4, 12, 5, 13}, high_dwords{2, 10, 3, 11, 6, 14, 7, 15};
constexpr std::array<int, 8> low_pairs{0, 1, 8, 9, 4, 5, 12, 13}, high_pairs{2, 3, 10, 11, 6, 7, 14, 15};

// Four dwords of eight lanes to four registers of two lanes each.
Vectors lanes_of_four(llvm::IRBuilderBase& b, const Vectors& dwords) {
  const auto pick = [&](Value* x, Value* y, auto& picks) { return b.CreateShuffleVector(x, y, picks); };
  Value *xy = pick(dwords[0], dwords[1], low_dwords), *zw = pick(dwords[2], dwords[3], low_dwords);
  Value *l04 = pick(xy, zw, low_pairs), *l15 = pick(xy, zw, high_pairs);
  xy = pick(dwords[0], dwords[1], high_dwords), zw = pick(dwords[2], dwords[3], high_dwords);
  Value *l26 = pick(xy, zw, low_pairs), *l37 = pick(xy, zw, high_pairs);
  return {pick(l04, l15, low), pick(l26, l37, low), pick(l04, l15, high), pick(l26, l37, high)};
}

// The reverse.
Vectors four_of_lanes(llvm::IRBuilderBase& b, const Vectors& lanes) {
  const auto pick = [&](Value* x, Value* y, auto& picks) { return b.CreateShuffleVector(x, y, picks); };
  Value *l04 = pick(lanes[0], lanes[2], low), *l15 = pick(lanes[0], lanes[2], high);
  Value *l26 = pick(lanes[1], lanes[3], low), *l37 = pick(lanes[1], lanes[3], high);
  Value *xy = pick(l04, l15, low_dwords), *zw = pick(l04, l15, high_dwords);
  Value *xy2 = pick(l26, l37, low_dwords), *zw2 = pick(l26, l37, high_dwords);
  return {pick(xy, xy2, low_pairs), pick(xy, xy2, high_pairs), pick(zw, zw2, low_pairs), pick(zw, zw2, high_pairs)};
}

// Eight elements, of which number i is from(i) of two or three vectors of eight, counted on.
template <class F> Value* pick_eight(llvm::IRBuilderBase& b, llvm::ArrayRef<Value*> of, F from) {
  Value* out = of[0];
  for (int v = 1; v < int(of.size()); ++v) {
    Picks picks;
    for (int i = 0; i < 8; ++i)
      picks.push_back(from(i) / 8 == v ? 8 + from(i) % 8 : from(i) / 8 > v ? -1 : v == 1 ? from(i) : i);
    out = b.CreateShuffleVector(out, of[size_t(v)], picks);
  }
  return out;
}

Value* join(llvm::IRBuilderBase& b, Value* first, Value* second) {
  Picks all;
  for (unsigned i = 0; i < 2 * llvm::cast<llvm::FixedVectorType>(first->getType())->getNumElements(); ++i)
    all.push_back(int(i));
  return b.CreateShuffleVector(first, second, all);
}

Value* half(llvm::IRBuilderBase& b, Value* row, int h) {
  Picks eight;
  for (int i = 8 * h; i < 8 * h + 8; ++i)
    eight.push_back(i);
  return b.CreateShuffleVector(row, eight);
}

} // namespace

Value* Emitter::half_row(Value* row, int h) { return half(b_, row, h); }
Value* Emitter::join_half_rows(Value* first, Value* second) { return join(b_, first, second); }

// In how many parts of equal size a row's items are loaded and stored.
int Emitter::parts_of(int dwords) const { return is_narrow() && dwords > 1 ? 2 * dwords : 1; }

// A mask of lanes as one of the dwords of a part.
Value* Emitter::spread(Value* mask, int dwords, int part) {
  const int count = 16 * dwords / parts_of(dwords);
  Picks lanes;
  for (int i = 0; i < count; ++i)
    lanes.push_back((part * count + i) / dwords);
  if (parts_of(dwords) == 1)
    return b_.CreateShuffleVector(mask, lanes);
  Value* numbers = b_.CreateShuffleVector(b_.CreateSExt(mask, words_), lanes);
  return b_.CreateICmpSLT(numbers, llvm::Constant::getNullValue(numbers->getType()));
}

// Items, in parts_of() parts, to a row of each dword.
void Emitter::unweave(const Vectors& parts, Vectors& dwords) {
  const int n = int(dwords.size());
  if (parts.size() == 1) {
    for (int d = 0; d < n; ++d) {
      Picks pick;
      for (int i = 0; i < 16; ++i)
        pick.push_back(i * n + d);
      dwords[size_t(d)] = b_.CreateShuffleVector(parts[0], pick);
    }
    return;
  }
  std::array<Vectors, 2> halves;
  for (int h = 0; h < 2; ++h) {
    const Vectors here(parts.begin() + h * n, parts.begin() + (h + 1) * n);
    if (n == 4)
      halves[size_t(h)] = four_of_lanes(b_, here);
    else
      for (int d = 0; d < n; ++d)
        halves[size_t(h)].push_back(pick_eight(b_, here, [&](int i) { return i * n + d; }));
  }
  for (size_t d = 0; d < dwords.size(); ++d)
    dwords[d] = join(b_, halves[0][d], halves[1][d]);
}

// The reverse: dword d of lane i is element i * dwords + d.
Emitter::Vectors Emitter::woven(const Vectors& dwords) {
  const int n = int(dwords.size());
  if (n == 1)
    return dwords;
  if (parts_of(n) == 1) {
    Picks weave;
    for (int i = 0; i < 16 * n; ++i)
      weave.push_back(i % n * 16 + i / n);
    Value* first = join(b_, dwords[0], dwords[1]);
    return {n == 2 ? b_.CreateShuffleVector(first, weave)
                   : b_.CreateShuffleVector(first, join(b_, dwords[2], dwords[n == 4 ? 3 : 2]), weave)};
  }
  Vectors parts;
  for (int h = 0; h < 2; ++h) {
    Vectors here;
    for (Value* d : dwords)
      here.push_back(half(b_, d, h));
    if (n == 4)
      for (Value* part : lanes_of_four(b_, here))
        parts.push_back(part);
    else
      for (int p = 0; p < n; ++p)
        parts.push_back(pick_eight(b_, here, [&](int i) { return (8 * p + i) % n * 8 + (8 * p + i) / n; }));
  }
  return parts;
}

// Of a row: of all lanes, or where `lanes` is not null of these; what the others get is 0.
void Emitter::load_items(llvm::Type* item, Value* from, llvm::Align align, Value* lanes, bool is_volatile,
                         Vectors& dwords) {
  const int n = int(dwords.size()), parts = parts_of(n);
  auto* type = llvm::FixedVectorType::get(item, unsigned(16 * n / parts));
  Vectors loaded;
  for (int p = 0; p < parts; ++p) {
    Value* place = p ? b_.CreateConstGEP1_32(type, from, unsigned(p)) : from;
    const llvm::Align here = llvm::commonAlignment(align, uint64_t(p) * part_bytes);
    if (lanes)
      loaded.push_back(b_.CreateMaskedLoad(type, place, here, spread(lanes, n, p), llvm::Constant::getNullValue(type)));
    else
      loaded.push_back(b_.CreateAlignedLoad(type, place, here, is_volatile));
  }
  if (n == 1)
    dwords = loaded;
  else
    unweave(loaded, dwords);
}

void Emitter::store_items(const Vectors& dwords, Value* to, llvm::Align align, Value* lanes, bool is_volatile,
                          bool past_caches) {
  const Vectors parts = woven(dwords);
  for (int p = 0; p < int(parts.size()); ++p) {
    Value* part = parts[size_t(p)];
    Value* place = p ? b_.CreateConstGEP1_32(part->getType(), to, unsigned(p)) : to;
    const llvm::Align here = llvm::commonAlignment(align, uint64_t(p) * part_bytes);
    if (lanes)
      b_.CreateMaskedStore(part, place, here, spread(lanes, int(dwords.size()), p));
    else if (auto* store = b_.CreateAlignedStore(part, place, here, is_volatile); past_caches)
      store->setMetadata(llvm::LLVMContext::MD_nontemporal,
                         llvm::MDNode::get(c_, llvm::ConstantAsMetadata::get(b_.getInt32(1))));
  }
}

// ---- Items that lie anywhere

// Memory of the function's own: up to four dwords of each lane.
Value* Emitter::whole_items() {
  if (!whole_items_)
    at_entry([&]() -> Value* {
      auto* items = b_.CreateAlloca(llvm::ArrayType::get(words_, 4 * rows));
      items->setAlignment(llvm::Align(64));
      return whole_items_ = items;
    });
  return whole_items_;
}

// Items of several dwords that lie anywhere, lane after lane; where the rows of what was read begin.
Rows Emitter::collect_whole_items(const Access& a) {
  const uint64_t dwords = a.dwords();
  Value* items = whole_items();
  auto* item = llvm::FixedVectorType::get(int32_, unsigned(dwords));
  const Places places = places_of(a);
  each_lane([&](Value* lane) {
    b_.CreateAlignedStore(b_.CreateAlignedLoad(item, place_in_lane(a, places, lane), llvm::Align(1), a.is_volatile),
                          b_.CreateGEP(int32_, items, b_.CreateMul(lane, i64(dwords))), llvm::Align(4));
  });
  give_back({places.offset, places.high});
  Rows out;
  for (uint64_t r = 0; r < rows; ++r)
    out[r] = b_.CreateConstInBoundsGEP1_64(int32_, items, r * 16 * dwords);
  return out;
}
void Emitter::load_whole_items(const Access& a, LoadedRows& out) {
  const Rows places = collect_whole_items(a);
  for (size_t r = 0; r < rows; ++r)
    load_items(int32_, places[r], llvm::Align(64), nullptr, false, out[r]);
}
// Or, if `side` holds, from where rows lie side by side; taken apart by the same code, which is long.
void Emitter::load_whole_items_or(Value* side, const Rows& firsts, const Access& a, LoadedRows& out) {
  const auto [yes, no, on] = fork(side);
  b_.CreateBr(on);
  b_.SetInsertPoint(no);
  const Rows places = collect_whole_items(a);
  auto* const from_no = b_.GetInsertBlock();
  b_.CreateBr(on);
  b_.SetInsertPoint(on);
  Rows from;
  for (size_t r = 0; r < rows; ++r) {
    llvm::PHINode* phi = b_.CreatePHI(b_.getPtrTy(), 2);
    phi->addIncoming(firsts[r], yes), phi->addIncoming(places[r], from_no);
    from[r] = phi;
  }
  for (int r = 0; r < rows; ++r)
    load_side_by_side(a, r, from[size_t(r)], out[size_t(r)]);
}
void Emitter::store_whole_items(const Access& a) {
  const uint64_t dwords = a.dwords();
  Value* items = whole_items();
  auto* item = llvm::FixedVectorType::get(int32_, unsigned(dwords));
  for (uint64_t r = 0; r < rows; ++r)
    store_items(data_of(a, int(r)), b_.CreateConstInBoundsGEP1_64(int32_, items, r * 16 * dwords), llvm::Align(64));
  const Places places = places_of(a);
  each_lane([&](Value* lane) {
    Value* from = b_.CreateGEP(int32_, items, b_.CreateMul(lane, i64(dwords)));
    b_.CreateAlignedStore(b_.CreateAlignedLoad(item, from, llvm::Align(4)), place_in_lane(a, places, lane),
                          llvm::Align(1), a.is_volatile);
  });
  give_back({places.offset, places.high});
}

} // namespace crosslane::jit

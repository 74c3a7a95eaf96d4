// Fuzzes probes: whatever code object it is given is instrumented or refused with a message; what comes out can be
// read, has the plan that it says, and is stripped to the same bytes. Bytes as a user's probe and as a note, too. Code
// that is no code comes from driver.cpp's --aim .text.
#include "codeobject/write.h"
#include "isa/decode.h"
#include "rewrite/instrument.h"
#include "rewrite/plan.h"
#include "rewrite/probe_function.h"
#include "rewrite/tally.h"
#include "tests/fuzz/require.h"
#include <algorithm>
#include <numeric>

namespace {

using namespace crosslane;

void check_message(llvm::Error error) { REQUIRE(!llvm::toString(std::move(error)).empty()); }

const rewrite::UserProbe counting{.name = "counting.s",
                                  .text = "count %c0\ns_bcnt1_i32_b64 %s0, exec\nadd %c1, %s0\n",
                                  .at = *rewrite::parse_places("entry,exit,branch,edge,memory", "--at")};

// One of several sets, by what the bytes are.
rewrite::Options options_for(std::span<const uint8_t> bytes) {
  rewrite::Options options;
  rewrite::Probes& probes = options.probes;
  switch (std::accumulate(bytes.begin(), bytes.end(), 0u) % 7) {
  case 0: break;
  case 1: probes.divergence = probes.blocks = true; break;
  case 2: probes.lanes = probes.time = probes.memory = true; break;
  case 3: probes.document_lds = true; break;
  case 4: probes.document_global = true; break;
  case 5: probes.user = counting, options.branch_reach = 64; break;
  case 6: probes.poison = true, options.shuffle = 1 + bytes.size(); break;
  }
  return options;
}

void instrument(const codeobject::CodeObject& object, std::span<const uint8_t> bytes) {
  if (object.image_size() > uint64_t{16} << 20)
    return;
  const rewrite::Options options = options_for(bytes);
  auto result = rewrite::instrument(object, options);
  if (!result)
    return check_message(result.takeError());
  const bool any = std::ranges::any_of(result->kernels, [](const auto& k) { return k.refused.empty(); });
  REQUIRE(any == !result->bytes.empty());
  if (!any)
    return;
  auto stripped = codeobject::strip(result->bytes);
  REQUIRE(stripped);
  REQUIRE(std::ranges::equal(*stripped, object.bytes()));
  auto probed = codeobject::CodeObject::read(result->bytes, "fuzz");
  REQUIRE(probed);
  const auto note = codeobject::rewrite_note(**probed);
  REQUIRE(options.probes.any() == !note.empty());
  if (note.empty())
    return;
  auto plan = rewrite::from_note(note, "fuzz");
  REQUIRE(plan);
  for (const auto& kernel : result->kernels)
    REQUIRE((plan->find(kernel.kernel) != nullptr) == kernel.refused.empty());
}

void read_note(std::span<const uint8_t> bytes) {
  auto plan = rewrite::from_note(bytes, "fuzz");
  if (!plan)
    return check_message(plan.takeError());
  for (const rewrite::KernelPlan& kernel : plan->kernels)
    rewrite::Tally(kernel, true).add({}, std::vector<uint8_t>(kernel.record_bytes));
}

void read_text(std::span<const uint8_t> bytes) {
  rewrite::UserProbe probe = counting;
  probe.text.assign(bytes.begin(), bytes.begin() + std::min<size_t>(bytes.size(), 4096));
  for (const char* name : {"gfx600", "gfx900", "gfx90a"}) {
    const isa::Target target = *isa::parse_target(name);
    isa::Instruction in; // that it may stand before
    const isa::Instruction* at = isa::decode(target, bytes, in) > 0 ? &in : nullptr;
    if (auto needs = rewrite::check(probe, target, at))
      rewrite::expand(probe, target, at, {}, 0, 0);
    else
      check_message(needs.takeError());
  }
}

// What clang says of a function, and its code.
void read_function(std::span<const uint8_t> bytes) {
  const std::string text(bytes.begin(), bytes.begin() + std::min<size_t>(bytes.size(), 4096));
  auto wrapped = rewrite::wrap_probe(text, "fuzz");
  if (!wrapped)
    check_message(wrapped.takeError());
  rewrite::FunctionIr one;
  one.counters = 1;
  for (const char* name : {"gfx600", "gfx803", "gfx90a"})
    if (auto function = rewrite::ProbeFunction::read(one, bytes, *isa::parse_target(name), "fuzz"); !function)
      check_message(function.takeError());
    else if (function->sgprs() <= 94 && function->vgprs() <= 248) // there are so many more
      REQUIRE(!function->blocks(8, 8, rewrite::function_label).empty());
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::span<const uint8_t> bytes(data, size);
  if (auto object = codeobject::CodeObject::read(bytes, "fuzz"))
    instrument(**object, bytes);
  else
    llvm::consumeError(object.takeError());
  read_note(bytes);
  read_text(bytes);
  read_function(bytes);
  return 0;
}

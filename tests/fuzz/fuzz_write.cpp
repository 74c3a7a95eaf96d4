// Fuzzes writing: whatever is read is written with all of its code copied, which must be read again and stripped to the
// same bytes, or refused with one message. And strip() of whatever the bytes.
#include "codeobject/write.h"
#include "tests/fuzz/require.h"
#include <algorithm>

namespace {
using namespace crosslane::codeobject;

void check_message(llvm::Error error) {
  const std::string text = llvm::toString(std::move(error));
  REQUIRE(!text.empty() && text.size() < 2500);
  REQUIRE(std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c != 0x7f; }));
}

// Every second run of 64 bytes is followed by 16 that were not there before.
Additions additions_for(const CodeObject& object) {
  Additions a;
  a.code_address = free_address(object);
  for (const Segment& segment : object.segments()) {
    if (!segment.executable || segment.bytes.size() > 1 << 20)
      continue;
    a.code.resize((a.code.size() + 4095) / 4096 * 4096 + segment.address % 4096);
    for (const Kernel& kernel : object.kernels())
      if (kernel.entry >= segment.address && kernel.entry - segment.address < segment.bytes.size() &&
          !(kernel.entry % 512))
        a.kernels.push_back({.symbol = kernel.symbol,
                             .entry = a.code_address + a.code.size() + (kernel.entry - segment.address),
                             .code_size = 4,
                             .sgprs = 30,
                             .vgprs = 30,
                             .group_segment = 4096});
    for (size_t at = 0; at < segment.bytes.size(); at += 64) {
      const auto part = segment.bytes.subspan(at, std::min<size_t>(64, segment.bytes.size() - at));
      a.moved.push_back({segment.address + at, part.size(), a.code_address + a.code.size()});
      a.code.insert(a.code.end(), part.begin(), part.end());
    }
  }
  a.data_address = (a.code_address + a.code.size() + 4095) / 4096 * 4096;
  a.data_size = 256;
  a.symbols.push_back({"added", a.data_address, 256, false});
  a.note = {1, 2, 3};
  return a;
}

} // namespace

namespace {

llvm::Expected<std::optional<std::vector<uint8_t>>> copied(const BundleEntry& entry) {
  auto object = CodeObject::read(entry.bytes, "fuzz");
  if (!object)
    return object.takeError();
  auto written = write(**object, additions_for(**object));
  if (!written)
    return written.takeError();
  return std::optional(std::move(*written));
}

void rewrite_all(std::span<const uint8_t> bytes) {
  auto out = rewrite_file(bytes, copied);
  if (!out)
    return check_message(out.takeError());
  if (std::ranges::equal(*out, bytes))
    return;
  auto input = strip_file(*out);
  REQUIRE(input);
  REQUIRE(std::ranges::equal(*input, bytes));
  auto entries = list_bundle(*out);
  if (!entries)
    check_message(entries.takeError());
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::span<const uint8_t> bytes(data, size);
  if (auto input = strip(bytes); !input)
    check_message(input.takeError());
  if (auto input = strip_file(bytes); !input)
    check_message(input.takeError());
  rewrite_all(bytes);
  auto object = CodeObject::read(bytes, "fuzz");
  if (!object) {
    check_message(object.takeError());
    return 0;
  }
  const auto moved = moved_code(**object);
  for (const Kernel& kernel : (*object)->kernels())
    original_address(moved, kernel.entry);
  for (int layer = 0; layer < 2; ++layer) {
    auto written = write(**object, additions_for(**object));
    if (!written) {
      check_message(written.takeError());
      return 0;
    }
    auto input = strip(*written);
    REQUIRE(input);
    REQUIRE(std::ranges::equal(*input, (*object)->bytes()));
    object = CodeObject::read(*written, "fuzz");
    REQUIRE(object);
    REQUIRE((*object)->find_symbol("added"));
    (*object)->debug_problem();
    for (const Kernel& kernel : (*object)->kernels())
      (*object)->source_frames(kernel.entry);
  }
  return 0;
}

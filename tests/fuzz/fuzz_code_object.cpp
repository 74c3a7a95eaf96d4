// Fuzzes the code object reader, loader, line table and unbundler: whatever the bytes, either an object that keeps its
// promises or one error of one line.
#include "codeobject/code_object.h"
#include "tests/fuzz/require.h"
#include <algorithm>
#include <memory>

namespace {
using namespace crosslane::codeobject;

bool printable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c != 0x7f; });
}

void check_message(llvm::Error error, std::string_view start) {
  std::string text = llvm::toString(std::move(error));
  REQUIRE(text.starts_with(start));
  REQUIRE(text.size() < 2000);
  REQUIRE(printable(text));
}

std::optional<uint64_t> resolve(void*, std::string_view name) {
  return name.size() % 2 ? std::optional<uint64_t>(0x12345678) : std::nullopt;
}

void use(const CodeObject& object) {
  const uint64_t begin = object.image_begin(), size = object.image_size(), alignment = object.image_alignment();
  REQUIRE(size > 0 && size <= uint64_t{4} << 30);
  REQUIRE(alignment >= 4096 && (alignment & (alignment - 1)) == 0 && begin % alignment == 0);
  REQUIRE(object.version() >= 2 && object.version() <= 6);
  REQUIRE(object.target_id().starts_with(object.processor()) && object.processor().starts_with("gfx"));
  auto in_image = [&](uint64_t address, uint64_t bytes) {
    return address >= begin && address - begin <= size && bytes <= size - (address - begin);
  };
  for (const Segment& segment : object.segments())
    REQUIRE(in_image(segment.address, segment.size) && segment.bytes.size() <= segment.size);
  for (const Section& section : object.sections())
    REQUIRE(section.size == 0 || in_image(section.address, section.size));
  for (const Kernel& kernel : object.kernels()) {
    REQUIRE(object.bytes_at(kernel.descriptor_address, 64).size() == 64);
    REQUIRE(object.bytes_at(kernel.entry, 4).size() == 4 && kernel.entry % 256 == 0);
    REQUIRE(object.find_kernel(kernel.name) != nullptr);
    for (const KernelArgument& argument : kernel.arguments)
      REQUIRE(uint64_t{argument.offset} + argument.size <= kernel.kernarg_segment_size);
    object.source_frames(kernel.entry);
  }
  for (const Symbol& symbol : object.symbols()) {
    REQUIRE(object.find_symbol(symbol.name) != nullptr);
    object.symbol_at(symbol.address);
    object.source_frames(symbol.address + 4);
  }
  const std::string problem = object.debug_problem();
  REQUIRE(problem.empty() || problem.starts_with("debug information is damaged (."));
  REQUIRE(problem.size() < 500 && printable(problem));
  uint64_t last = 0;
  for (const Function& function : object.functions()) {
    REQUIRE(function.begin < function.end && in_image(function.begin, function.end - function.begin));
    REQUIRE(function.begin >= last);
    last = function.begin;
    object.symbol_at(function.end);
    for (uint64_t at = function.begin; at < std::min(function.end, function.begin + 256); at += 4)
      object.source_frames(at);
  }
  if (size > uint64_t{16} << 20)
    return;
  struct Free {
    void operator()(void* p) const { std::free(p); }
  };
  std::unique_ptr<void, Free> memory(std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment));
  REQUIRE(memory);
  std::span<uint8_t> bytes(static_cast<uint8_t*>(memory.get()), size);
  if (llvm::Error error = object.load(bytes, resolve, nullptr))
    check_message(std::move(error), "fuzz: ");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::span<const uint8_t> bytes(data, size);
  if (auto object = CodeObject::read(bytes, "fuzz"))
    use(**object);
  else
    check_message(object.takeError(), "fuzz: ");
  auto entries = list_bundle(bytes);
  if (entries && entries->empty())
    return 0;
  if (!entries)
    check_message(entries.takeError(), "offload bundle: ");
  for (std::string_view processor : {"gfx906", "gfx900:xnack-", ""}) {
    if (auto object = read_for(bytes, "fuzz", processor))
      use(**object);
    else
      check_message(object.takeError(), "fuzz: ");
  }
  return 0;
}

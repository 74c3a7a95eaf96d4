// Writes a seed of fuzz_capture: a dispatch with pieces that are zeros, compressed and not, before and after.
#include "capture/writer.h"
#include "tests/capture/folder.h"
#include <cstdio>

int main(int argc, char** argv) {
  using namespace crosslane::capture;
  if (argc != 2)
    return std::fprintf(stderr, "capture_seed FILE\n"), 2;
  const Folder folder;
  Dispatch d = small_dispatch();
  auto writer = llvm::cantFail(Writer::create(folder / "c", UINT64_MAX));
  const auto put = [&](const std::vector<uint8_t>& bytes) { return llvm::cantFail(writer->pack().put(bytes)); };
  std::vector<uint8_t> numbers(0x21000, 3);
  std::ranges::copy(random_bytes(0x100), numbers.begin());
  std::fill_n(numbers.begin() + 0x10000, 0x10000, 0);
  d.memory[1].before = put(numbers);
  numbers[5] ^= 1;
  d.memory[1].after = put(numbers);
  d.memory[0].before = put(std::vector<uint8_t>(0x1000, 0xbf));
  d.code.bytes = put(random_bytes(100));
  d.shared = SharedState{{65536, {}}, {{.number = 1, .counter = 2}}, {{0, 1}}};
  d.workgroups = {{1, 3}};
  crosslane::machine::Fault fault;
  fault.kind = crosslane::machine::FaultKind::trap;
  d.outcome = Outcome{fault, 1, 2, 3, true};
  llvm::cantFail(writer->write(d));
  std::ofstream out(argv[1], std::ios::binary);
  out << std::ifstream(folder / "c/dispatches/000003.json", std::ios::binary).rdbuf();
  out << '\0' << std::ifstream(folder / "c/memory.pack", std::ios::binary).rdbuf();
  return out.good() ? 0 : 1;
}

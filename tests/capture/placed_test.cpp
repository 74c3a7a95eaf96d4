// Memory at the addresses that it had.
#include "capture/placed.h"
#include "capture/reader.h"
#include "capture/writer.h"
#include "machine/window.h"
#include "tests/capture/folder.h"
#include <gtest/gtest.h>
#include <sys/mman.h>

namespace crosslane::capture {
namespace {

uint8_t* at(uint64_t address) { return reinterpret_cast<uint8_t*>(address); }
bool is_mapped(uint64_t address) {
  unsigned char resident;
  return mincore(at(address), 4096, &resident) == 0;
}

class Placing : public testing::Test {
protected:
  void SetUp() override {
    if (machine::device_reach() != machine::window)
      GTEST_SKIP() << "no window";
    dispatch_ = small_dispatch();
    dispatch_.allocations.push_back({{address_ + 0x22000, 0x1000, "arguments"}, true});
    std::vector<uint8_t> numbers(0x21000), after;
    const auto some = random_bytes(0x1000);
    std::ranges::copy(some, numbers.begin() + 0x11000);
    after = numbers;
    after[0x12345] ^= 0xff;
    auto writer = llvm::cantFail(Writer::create(folder_ / "c", UINT64_MAX));
    dispatch_.memory[1].before = llvm::cantFail(writer->pack().put(numbers));
    dispatch_.memory[1].after = llvm::cantFail(writer->pack().put(after));
    llvm::cantFail(writer->write(dispatch_));
    reader_ = llvm::cantFail(Reader::open(folder_ / "c"));
  }

  static constexpr uint64_t address_ = 0x680000100000, numbers_ = address_ + 0x2000;
  const Folder folder_;
  Dispatch dispatch_;
  std::unique_ptr<Reader> reader_;
};

TEST_F(Placing, IsAsItWasAndGoesAway) {
  {
    const auto placed = llvm::cantFail(Placed::create(dispatch_, reader_->pack()));
    EXPECT_EQ(std::vector(at(numbers_ + 0x11000), at(numbers_ + 0x12000)), random_bytes(0x1000));
    EXPECT_EQ(at(numbers_)[5], 0);
    at(numbers_)[5] = 1, at(numbers_ + 0x11000)[0] ^= 1;
    EXPECT_EQ(error_of(placed->reset()), "none");
    EXPECT_EQ(std::vector(at(numbers_ + 0x11000), at(numbers_ + 0x12000)), random_bytes(0x1000));
    EXPECT_EQ(at(numbers_)[5], 0);
    // What was between its memory is nobody's.
    EXPECT_NE(machine::map_in_window(4096, PROT_READ), address_ + 0x1000);
  }
  EXPECT_FALSE(is_mapped(address_));
  EXPECT_FALSE(is_mapped(address_ + 0x1000));
  EXPECT_FALSE(is_mapped(numbers_));
}

TEST_F(Placing, PiecesAreAsTheyWereOneByOne) {
  const auto placed = llvm::cantFail(Placed::create(dispatch_, reader_->pack()));
  const uint64_t zeros = numbers_ + 5, some = numbers_ + 0x11000, last = numbers_ + 0x20fff;
  const uint8_t was = *at(some);
  const auto change = [&] { *at(zeros) = 1, *at(some) = uint8_t(was ^ 1), *at(last) = 3; };
  change();
  EXPECT_EQ(llvm::cantFail(placed->reset_piece(some)), numbers_ + 0x20000);
  EXPECT_EQ(*at(zeros), 1);
  EXPECT_EQ(std::vector(at(some), at(some + 0x1000)), random_bytes(0x1000));
  EXPECT_EQ(*at(last), 3);
  change();
  EXPECT_EQ(llvm::cantFail(placed->reset_piece(zeros)), numbers_ + 0x10000);
  EXPECT_EQ(llvm::cantFail(placed->reset_piece(last)), numbers_ + 0x21000);
  EXPECT_EQ(*at(zeros), 0);
  EXPECT_EQ(*at(some), was ^ 1);
  EXPECT_EQ(*at(last), 0);
  // Between what is mapped there is nothing to put back.
  EXPECT_EQ(llvm::cantFail(placed->reset_piece(address_ + 0x1000)), address_ + 0x1001);
}

TEST_F(Placing, ComparesWithWhatWasLeft) {
  const auto placed = llvm::cantFail(Placed::create(dispatch_, reader_->pack()));
  Differences d = llvm::cantFail(placed->compare());
  ASSERT_EQ(d.of.size(), 1u);
  EXPECT_EQ(d.of[0].allocation, "numbers");
  EXPECT_EQ(d.of[0].bytes, 1u);
  ASSERT_EQ(d.first.size(), 1u);
  EXPECT_EQ(place_of(dispatch_, d.first[0].address), "numbers [0x12344]");
  at(numbers_)[0x12345] ^= 0xff;
  EXPECT_TRUE(llvm::cantFail(placed->compare()).of.empty());
  at(numbers_)[0] = 1, at(address_)[3] = 2;
  at(address_ + 0x22000)[0] = 1; // of arguments, which hosts write to
  d = llvm::cantFail(placed->compare());
  ASSERT_EQ(d.of.size(), 2u);
  EXPECT_EQ(d.of[0].allocation, "code");
  EXPECT_EQ(d.first[1].is, 1u);
  EXPECT_EQ(d.first[1].was, 0u);
}

TEST_F(Placing, NeedsItsAddresses) {
  void* const other =
      mmap(at(numbers_ + 0x3000), 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  ASSERT_EQ(other, static_cast<void*>(at(numbers_ + 0x3000)));
  EXPECT_EQ(error_of(Placed::create(dispatch_, reader_->pack())),
            "the captured memory cannot be put back at 0x680000102000 (numbers, 135168 bytes): this process has "
            "something else there");
  EXPECT_FALSE(is_mapped(address_));
  munmap(other, 4096);
}

TEST_F(Placing, RefusesMoreThanTheHostHas) {
  // A list of many that are one piece: a few bytes of file.
  auto writer = llvm::cantFail(Writer::create(folder_ / "bomb", UINT64_MAX));
  const auto piece = random_bytes(piece_bytes);
  class Repeated final : public Source {
  public:
    explicit Repeated(const std::vector<uint8_t>& piece) : piece_(piece) {}
    bool read(uint64_t, std::span<uint8_t> to) const override {
      std::copy_n(piece_.begin(), to.size(), to.begin());
      return true;
    }

  private:
    const std::vector<uint8_t>& piece_;
  } const repeated(piece);
  const uint64_t half = 64 * piece_bytes;
  dispatch_.memory.resize(1);
  dispatch_.memory[0].size = half;
  dispatch_.memory[0].before = llvm::cantFail(writer->pack().put(repeated, half));
  for (int i = 1; i < 100'000; ++i) // 400 GB
    dispatch_.memory.push_back({address_ + uint64_t(i) * half, half, true, dispatch_.memory[0].before, {}});
  llvm::cantFail(writer->write(dispatch_));
  const auto reader = llvm::cantFail(Reader::open(folder_ / "bomb"));
  const std::string error = error_of(Placed::create(llvm::cantFail(reader->dispatch(3)), reader->pack()));
  EXPECT_TRUE(error.find("bytes that are not zero, and this machine has") != std::string::npos) << error;
}

} // namespace
} // namespace crosslane::capture

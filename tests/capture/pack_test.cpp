// What is put comes back, once kept however often it is put; and nothing damaged is believed.
#include "capture/live_memory.h"
#include "capture/pack.h"
#include "machine/window.h"
#include "tests/capture/folder.h"
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>

namespace crosslane::capture {
namespace {

std::unique_ptr<PackWriter> create(const std::string& path) { return llvm::cantFail(PackWriter::create(path)); }
std::unique_ptr<PackReader> open_pack(const std::string& path) { return llvm::cantFail(PackReader::open(path)); }
bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

void flip(const std::string& path, uint64_t at) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekg(int64_t(at));
  const int byte = file.get();
  file.seekp(int64_t(at));
  file.put(char(byte ^ 1));
}

TEST(Pack, GivesBackWhatWasPut) {
  const Folder folder;
  const std::string path = folder / "p";
  for (const size_t size : {size_t(0), size_t(1), size_t(piece_bytes), size_t(piece_bytes * 3 + 17)}) {
    std::filesystem::remove(path);
    auto bytes = random_bytes(size);
    if (size > piece_bytes * 2)
      std::fill_n(bytes.begin() + piece_bytes, piece_bytes, 0);
    const auto writer = create(path);
    const Content content = llvm::cantFail(writer->put(bytes));
    EXPECT_EQ(error_of(writer->keep()), "none");
    EXPECT_EQ(llvm::cantFail(open_pack(path)->read(content, size)), bytes);
  }
}

TEST(Pack, KeepsEachPieceOnceAndZerosNowhere) {
  const Folder folder;
  const auto writer = create(folder / "p");
  const uint64_t empty = writer->size();
  const Content zeros = llvm::cantFail(writer->put(std::vector<uint8_t>(10 * piece_bytes)));
  EXPECT_TRUE(zeros.zeros());
  EXPECT_EQ(writer->size(), empty);
  auto bytes = random_bytes(4 * piece_bytes);
  const Content first = llvm::cantFail(writer->put(bytes));
  const uint64_t once = writer->size();
  EXPECT_GT(once, 4 * piece_bytes); // random: does not become smaller
  EXPECT_EQ(llvm::cantFail(writer->put(bytes)), first);
  EXPECT_EQ(writer->size(), once);
  bytes[2 * piece_bytes] ^= 1; // one piece and a list of four hashes
  const Content changed = llvm::cantFail(writer->put(bytes));
  EXPECT_NE(changed, first);
  EXPECT_LT(writer->size(), once + piece_bytes + 1000);
  std::vector<uint8_t> regular(4 * piece_bytes, 7);
  const uint64_t before = writer->size();
  llvm::cantFail(writer->put(regular));
  EXPECT_LT(writer->size(), before + 1000); // compressed
}

TEST(Pack, DropsWhatIsNotKept) {
  const Folder folder;
  const std::string path = folder / "p";
  const auto writer = create(path);
  const auto a = random_bytes(1000, 1), b = random_bytes(1000, 2);
  const Content kept = llvm::cantFail(writer->put(a));
  EXPECT_EQ(error_of(writer->keep()), "none");
  const Content gone = llvm::cantFail(writer->put(b));
  writer->drop();
  EXPECT_EQ(llvm::cantFail(open_pack(path)->read(kept, 1000)), a);
  EXPECT_TRUE(has(error_of(open_pack(path)->read(gone, 1000)), "has no piece"));
  EXPECT_EQ(llvm::cantFail(writer->put(b)), gone); // and again, as it is there no more
  EXPECT_EQ(llvm::cantFail(open_pack(path)->read(gone, 1000)), b);
}

TEST(Pack, HoldsItsLimit) {
  const Folder folder;
  const auto writer = create(folder / "p");
  writer->set_limit(100'000);
  EXPECT_EQ(error_of(writer->put(random_bytes(piece_bytes))), "none");
  EXPECT_EQ(error_of(writer->put(random_bytes(piece_bytes, 2))), "it would be larger than its limit");
  EXPECT_LE(std::filesystem::file_size(folder / "p"), 100'000u);
}

TEST(Pack, BelievesNothingDamaged) {
  const Folder folder;
  const std::string path = folder / "p";
  const auto bytes = random_bytes(2 * piece_bytes);
  auto writer = create(path);
  const Content content = llvm::cantFail(writer->put(bytes));
  EXPECT_EQ(error_of(writer->keep()), "none");
  writer.reset();
  const uint64_t size = std::filesystem::file_size(path);
  for (const uint64_t at : {uint64_t(20), uint64_t(40), uint64_t(200), size - piece_bytes / 2, size - 1}) {
    flip(path, at);
    const std::string error = error_of(open_pack(path)->read(content, bytes.size()));
    EXPECT_TRUE(has(error, "damaged") || has(error, "has no piece")) << at << ": " << error;
    flip(path, at);
  }
  EXPECT_EQ(llvm::cantFail(open_pack(path)->read(content, bytes.size())), bytes);
  flip(path, 3);
  EXPECT_TRUE(has(error_of(PackReader::open(path)), "does not begin as"));
  flip(path, 3);
  std::filesystem::resize_file(path, size - 1); // as if the process had ended there
  EXPECT_TRUE(has(error_of(open_pack(path)->read(content, bytes.size())), "has no piece"));
}

TEST(Pack, FollowsNoLinksAndReadsNoPipes) {
  const Folder folder;
  std::filesystem::create_symlink("/etc/passwd", folder / "link");
  EXPECT_TRUE(has(error_of(PackReader::open(folder / "link")), "link: "));
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_TRUE(has(error_of(PackReader::open(folder / "pipe")), "is no plain file"));
  EXPECT_TRUE(has(error_of(PackWriter::create(folder / "link")), "link: "));
}

TEST(LiveMemory, SeesWhatIsMappedAndTouched) {
  if (machine::device_reach() != machine::window)
    GTEST_SKIP() << "no window";
  const uint64_t bytes = 4 * piece_bytes, address = machine::map_in_window(bytes, PROT_READ | PROT_WRITE);
  ASSERT_NE(address, 0u);
  reinterpret_cast<uint8_t*>(address)[2 * piece_bytes + 5] = 9;
  std::vector<Mapped> mapped;
  ASSERT_TRUE(LiveMemory::list(mapped));
  const auto found = std::ranges::find(mapped, address, &Mapped::address);
  ASSERT_NE(found, mapped.end());
  EXPECT_EQ(found->size, bytes);
  EXPECT_TRUE(found->writable);
  const LiveMemory live;
  const LiveMemory::Range range(live, *found);
  EXPECT_TRUE(range.untouched(0, piece_bytes));
  EXPECT_FALSE(range.untouched(2 * piece_bytes, piece_bytes));
  uint8_t byte = 0;
  EXPECT_TRUE(range.read(2 * piece_bytes + 5, {&byte, 1}));
  EXPECT_EQ(byte, 9);
  munmap(reinterpret_cast<void*>(address), bytes);
  EXPECT_FALSE(range.read(0, {&byte, 1})); // and no fault
}

} // namespace
} // namespace crosslane::capture

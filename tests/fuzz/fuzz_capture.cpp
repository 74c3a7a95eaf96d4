// Fuzzes captures: whatever a folder holds is a dispatch that can be placed and compared, or is refused with one
// message. A seed is the file of a dispatch, a zero byte, and the pack behind it (tests/fuzz/capture_seed.cpp).
#include "capture/placed.h"
#include "tests/fuzz/require.h"
#include <algorithm>
#include <sys/mman.h>
#include <unistd.h>

namespace {
using namespace crosslane::capture;

void check_message(llvm::Error error) {
  const std::string text = llvm::toString(std::move(error));
  REQUIRE(!text.empty() && text.find('\n') == std::string::npos);
}

constexpr uint64_t most_bytes = 64 << 20; // placed: more would only take time

void place(const Dispatch& dispatch, const PackReader& pack) {
  auto placed = Placed::create(dispatch, pack);
  if (!placed)
    return check_message(placed.takeError());
  auto differences = (*placed)->compare();
  if (!differences)
    check_message(differences.takeError());
  if (auto error = (*placed)->reset())
    check_message(std::move(error));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const uint8_t* const zero = std::find(data, data + size, 0);
  const std::string_view text(reinterpret_cast<const char*>(data), size_t(zero - data));
  const size_t rest = size - text.size();
  auto dispatch = parse_dispatch(text, "fuzz");
  if (!dispatch)
    check_message(dispatch.takeError());
  else
    REQUIRE(parse_dispatch(text_of(*dispatch), "again")); // what is accepted is written as what is accepted
  const int file = memfd_create("fuzz", MFD_CLOEXEC);
  REQUIRE(file >= 0);
  REQUIRE(rest < 2 || write(file, zero + 1, rest - 1) == ssize_t(rest - 1));
  auto pack = PackReader::take(file, "fuzz");
  if (!pack)
    return check_message(pack.takeError()), 0;
  if (!dispatch)
    return 0;
  if (auto bytes = (*pack)->read(dispatch->code.bytes, most_bytes); !bytes)
    check_message(bytes.takeError());
  if (dispatch->bytes() <= most_bytes)
    place(*dispatch, **pack);
  return 0;
}

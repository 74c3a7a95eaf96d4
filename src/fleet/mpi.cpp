// The front of libcrosslane_mpi.so.
#include "files/beside.h"
#include "files/error.h"
#include "fleet/mpi_table.h"
#include "fleet/transport.h"
#include <cstdlib>
#include <dlfcn.h>

namespace crosslane::fleet {

namespace {

class Mpi final : public Transport {
public:
  explicit Mpi(const crosslane_mpi_table& table) : table_(table) {}
  const char* begin() { return table_.begin(&rank_, &size_, &neighbours_); }
  int rank() const override { return rank_; }
  int size() const override { return size_; }
  int neighbours() const override { return neighbours_; }
  size_t longest() const override { return size_t(1) << 30; } // MPI counts by int
  void send(int to, std::string_view bytes) override { table_.send(to, bytes.data(), bytes.size()); }
  std::optional<Message> receive() override {
    int from = 0;
    size_t size = 0;
    const std::unique_ptr<void, decltype(&std::free)> bytes(table_.receive(&from, &size), &std::free);
    if (!bytes)
      return {};
    return Message{from, std::string(static_cast<const char*>(bytes.get()), size)};
  }
  void end(bool all, int status) override { table_.end(all, status); }

private:
  const crosslane_mpi_table& table_;
  int rank_ = 0, size_ = 1, neighbours_ = 1;
};

} // namespace

llvm::Expected<std::unique_ptr<Transport>> open_mpi() {
  std::string why;
  const std::string file = files::beside("libcrosslane_mpi.so", why);
  if (file.empty())
    return fail("--mpi: {}; it is built where Open MPI is (Debian: libopenmpi-dev)", why);
  // For good, and with its symbols for all: Open MPI opens its parts by itself, and they look for it.
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE);
  if (!library)
    return fail("--mpi: {}", dlerror());
  const auto find = reinterpret_cast<decltype(&crosslane_mpi)>(dlsym(library, "crosslane_mpi"));
  if (!find)
    return fail("--mpi: {} is of another version", file);
  auto mpi = std::make_unique<Mpi>(*find());
  if (const char* error = mpi->begin())
    return fail("--mpi: {}", error);
  return mpi;
}

} // namespace crosslane::fleet

// copy_code INPUT OUTPUT: copies the code of all kernels for AMD GPUs in a file, and lets the kernels start there.
// copy_code --strip INPUT OUTPUT: takes that away again.
#include "tests/codeobject/copied.h"
#include <cstdio>
#include <fstream>
#include <iterator>

namespace {
using namespace crosslane::codeobject;

llvm::Expected<std::optional<std::vector<uint8_t>>> copied(const BundleEntry& entry) {
  auto object = CodeObject::read(entry.bytes, entry.id);
  if (!object)
    return object.takeError();
  auto written = write(**object, test::copy_of(**object).additions);
  if (!written)
    return written.takeError();
  return std::optional(std::move(*written));
}

} // namespace

int main(int argc, char** argv) {
  const bool back = argc == 4 && std::string_view(argv[1]) == "--strip";
  if (argc != 3 && !back) {
    std::fprintf(stderr, "usage: copy_code [--strip] INPUT OUTPUT\n");
    return 2;
  }
  std::ifstream file(argv[argc - 2], std::ios::binary);
  const std::vector<uint8_t> input{std::istreambuf_iterator<char>(file), {}};
  auto output = back ? strip_file(input) : rewrite_file(input, copied);
  if (!output) {
    std::fprintf(stderr, "copy_code: %s\n", llvm::toString(output.takeError()).c_str());
    return 1;
  }
  std::ofstream to(argv[argc - 1], std::ios::binary);
  to.write(reinterpret_cast<const char*>(output->data()), static_cast<std::streamsize>(output->size()));
  return to ? 0 : 1;
}

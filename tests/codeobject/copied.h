// All code of a code object once more, as it is, in a segment of its own. It runs there if it takes no data by its
// distance from the code.
#pragma once
#include "codeobject/write.h"

namespace crosslane::codeobject::test {

// All executable segments, one behind the other, each as far from a multiple of 4096 as it was.
struct Copy {
  Additions additions;
  uint64_t address(uint64_t from) const {
    for (const MovedCode& one : additions.moved)
      if (from >= one.from && from - one.from < one.size)
        return one.to + (from - one.from);
    return 0;
  }
};

inline Copy copy_of(const CodeObject& object) {
  Copy copy;
  Additions& a = copy.additions;
  a.code_address = free_address(object);
  for (const Segment& segment : object.segments()) {
    if (!segment.executable)
      continue;
    a.code.resize((a.code.size() + 4095) / 4096 * 4096 + segment.address % 4096);
    a.moved.push_back({segment.address, segment.bytes.size(), a.code_address + a.code.size()});
    a.code.insert(a.code.end(), segment.bytes.begin(), segment.bytes.end());
  }
  for (const Kernel& kernel : object.kernels()) {
    KernelChange change;
    change.symbol = kernel.symbol;
    change.entry = copy.address(kernel.entry);
    change.code_size = kernel.code_size;
    a.kernels.push_back(change);
  }
  a.data_address = (a.code_address + a.code.size() + 4095) / 4096 * 4096;
  a.data_size = 12345;
  a.note = {1, 2, 3, 4, 5};
  return copy;
}

} // namespace crosslane::codeobject::test

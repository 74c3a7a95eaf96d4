// Kernels as trees of parts.
#include "tests/jit/flow_source.h"

namespace crosslane::test {

namespace {

size_t count(const std::vector<FlowPart>& parts) {
  size_t n = 0;
  for (const FlowPart& p : parts)
    n += !p.frame + count(p.inside);
  return n;
}

void write(const std::vector<FlowPart>& parts, std::string& to) {
  for (const FlowPart& p : parts) {
    to += p.text;
    write(p.inside, to);
  }
}

// Leaves out part n, counted as count() does; true: it was among them.
bool leave_out(std::vector<FlowPart>& parts, size_t& n, bool keep_inside) {
  for (size_t i = 0; i < parts.size(); ++i) {
    FlowPart& p = parts[i];
    if (!p.frame && n-- == 0) {
      std::vector<FlowPart> inside = std::move(p.inside);
      std::erase_if(inside, [](const FlowPart& q) { return q.frame; });
      parts.erase(parts.begin() + ptrdiff_t(i));
      if (keep_inside)
        parts.insert(parts.begin() + ptrdiff_t(i), inside.begin(), inside.end());
      return true;
    }
    if (leave_out(p.inside, n, keep_inside))
      return true;
  }
  return false;
}

} // namespace

std::string FlowKernel::text() const {
  std::string all;
  write(parts, all);
  return all;
}
size_t FlowKernel::size() const { return count(parts); }
FlowKernel FlowKernel::without(size_t n, bool keep_inside) const {
  FlowKernel out = *this;
  leave_out(out.parts, n, keep_inside);
  return out;
}

} // namespace crosslane::test

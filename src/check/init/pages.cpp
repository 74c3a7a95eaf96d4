// A page is made when something of it becomes other than the rest, and stays.
#include "check/init/pages.h"
#include <algorithm>
#include <memory>

namespace crosslane::check::init {

namespace {

constexpr uint8_t all = 0xf; // bytes of a dword
constexpr uint32_t ones(unsigned n) { return (1u << n) - 1; }

} // namespace

Pages::Page::Page(uint8_t undefined) {
  for (auto& d : dwords)
    d.store(undefined, std::memory_order_relaxed);
}

Pages::Pages(uint64_t begin, uint64_t end)
    : begin_(begin), end_(end), pages_((dwords() + page_dwords - 1) / page_dwords) {}

Pages::~Pages() {
  for (const auto& page : pages_)
    if (Page* const p = page.load(); p != defined())
      delete p;
}

uint8_t Pages::within(uint64_t dword) const {
  uint8_t bytes = all;
  if (dword == 0)
    bytes &= uint8_t(all << begin_ % 4);
  if (dword == dwords() - 1)
    bytes &= uint8_t(all >> (3 - (end_ - 1) % 4));
  return bytes;
}

uint32_t Pages::load(uint64_t dword) const {
  if (dword >= dwords())
    return 0;
  const Page* const page = pages_[dword / page_dwords].load(std::memory_order_acquire);
  if (page == defined())
    return 0;
  return page ? page->dwords[dword % page_dwords].load(std::memory_order_relaxed) : within(dword);
}

uint32_t Pages::undefined(uint64_t address, unsigned count) const {
  const uint64_t dword = dword_of(address);
  const unsigned first = address % 4;
  return (load(dword) | (first + count > 4 ? load(dword + 1) << 4 : 0)) >> first & ones(count);
}

void Pages::change(uint64_t dword, uint32_t touched, uint32_t undefined) {
  if (dword >= dwords())
    return;
  undefined &= within(dword);
  std::atomic<Page*>& place = pages_[dword / page_dwords];
  Page* page = place.load(std::memory_order_acquire);
  if (!page || page == defined()) {
    if (page ? !undefined : touched == all && undefined == all)
      return;
    auto made = std::make_unique<Page>(page ? 0 : all);
    const uint64_t first = dword / page_dwords * page_dwords, last = dwords() - 1;
    for (const uint64_t end : {uint64_t(0), last})
      if (!page && end - first < page_dwords)
        made->dwords[end - first].store(within(end), std::memory_order_relaxed);
    if (!place.compare_exchange_strong(page, made.get(), std::memory_order_acq_rel))
      return change(dword, touched, undefined); // somebody else was faster
    page = made.release();
  }
  const auto index = uint32_t(dword % page_dwords);
  auto& d = page->dwords[index];
  if (touched == all) {
    d.store(uint8_t(undefined), std::memory_order_relaxed);
  } else {
    d.fetch_and(uint8_t(~touched | undefined), std::memory_order_relaxed);
    if (undefined)
      d.fetch_or(uint8_t(undefined), std::memory_order_relaxed);
  }
  if (undefined && page->first.load(std::memory_order_relaxed) > index)
    page->first.store(index, std::memory_order_relaxed);
}

void Pages::set(uint64_t address, unsigned count, uint32_t undefined) {
  const uint64_t dword = dword_of(address);
  const uint32_t touched = ones(count) << address % 4, value = undefined << address % 4;
  change(dword, touched & all, value & all);
  if (touched >> 4)
    change(dword + 1, touched >> 4, value >> 4);
}

void Pages::define(uint64_t begin, uint64_t end) {
  begin = std::max(begin, begin_), end = std::min(end, end_);
  while (begin < end) {
    const uint64_t index = dword_of(begin) / page_dwords, first = (begin_ & ~uint64_t(3)) + index * page_dwords * 4;
    const uint64_t next = std::min(first + page_dwords * 4, end_), stop = std::min(end, next);
    Page* none = nullptr;
    if ((begin <= std::max(first, begin_) && stop == next && pages_[index].compare_exchange_strong(none, defined())) ||
        are_defined(begin, stop)) {
      begin = next;
      continue;
    }
    while (begin < stop) {
      const auto count = unsigned(std::min<uint64_t>(4 - begin % 4, stop - begin));
      set(begin, count, 0);
      begin += count;
    }
  }
}

bool Pages::are_defined(uint64_t begin, uint64_t end) const {
  const uint64_t last = dword_of(end - 1);
  for (uint64_t dword = dword_of(begin); dword <= last; dword = (dword / page_dwords + 1) * page_dwords) {
    Page* const page = pages_[dword / page_dwords].load(std::memory_order_acquire);
    if (page == defined())
      continue;
    if (!page)
      return false;
    const uint64_t needed = std::min(last - dword / page_dwords * page_dwords + 1, page_dwords);
    uint64_t first = page->first.load(std::memory_order_relaxed);
    if (first >= needed)
      continue;
    while (first < needed && !page->dwords[first].load(std::memory_order_relaxed))
      ++first;
    page->first.store(uint32_t(first), std::memory_order_relaxed);
    if (first < needed)
      return false;
  }
  return true;
}

} // namespace crosslane::check::init

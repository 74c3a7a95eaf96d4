// Owns the turning of private pages of this process into pages of a file in memory, which can then appear at a second
// address or in another process. Other threads may go on using them: one that writes meanwhile waits, in the signal
// handler, until it is done. All of this may be called in a signal handler. Whoever converts holds `sharing`.
#pragma once
#include <atomic>
#include <cstdint>
#include <string>

namespace crosslane::hsa {

// A lock for signal handlers and everybody else.
class SignalLock {
public:
  void lock();
  void unlock() { taken_.store(false, std::memory_order_release); }

private:
  std::atomic<bool> taken_{false};
};
extern SignalLock sharing;

inline constexpr uint64_t page_bytes = 4096;
constexpr uint64_t page_floor(uint64_t value) { return value & ~(page_bytes - 1); }
constexpr uint64_t page_ceil(uint64_t value) { return page_floor(value + page_bytes - 1); }

// An unnamed file of that many bytes, none of which takes memory yet; -1 if there can be none. Its size is sealed, so
// that nobody who has it open can take pages away from under those who have mapped it.
int make_memory_file(const char* name, uint64_t size);
// The same file, opened to be mapped, if what `path` (opened with O_PATH, which does nothing to a file) means is one of
// those, of this name and this user; else -1.
int open_memory_file(int path, const char* name);

// The name of a file that make_memory_file made, for this user; empty: it is none.
std::string memory_file_name(int file);

// Makes the pages [host, host + size) those of the file from `offset` on, and, unless 0, has them appear at `alias` as
// well. What is shared already only appears there; what cannot be written is copied there. Pages that are not
// accessible or resist are left alone. False if some are.
bool share_pages(uint64_t host, uint64_t size, int file, uint64_t offset, uint64_t alias);

// Makes pages that share_pages converted into the file of that name private again, content kept. False if some resist.
bool unshare_pages(uint64_t host, uint64_t size, const char* name);

// For the signal handler: true if the access at `address` failed because the page was just being shared, after waiting
// for that.
bool await_sharing(uint64_t address);
// For the signal handler: true the first time that a thread asks for the address since a conversion began or ended.
bool retry_once(uint64_t address);

} // namespace crosslane::hsa

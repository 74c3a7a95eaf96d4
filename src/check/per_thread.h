// Owns what checks keep of each thread: on the heap, as the runtime library is loaded late by some programs (dlopen),
// when the loader has a few hundred bytes of thread-local storage left for it.
#pragma once
#include <memory>

namespace crosslane::check {

// The thread's only T.
template <class T> T& per_thread() {
  static thread_local std::unique_ptr<T> own;
  if (!own) [[unlikely]]
    own = std::make_unique<T>();
  return *own;
}

} // namespace crosslane::check

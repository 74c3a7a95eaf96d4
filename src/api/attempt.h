// Owns the border between C++ and C: what a function of crosslane.h is called with and what it gives back. No exception
// passes it, and what went wrong is a status and the message of a handle.
#pragma once
#include "api/crosslane.h"
#include <cstring>
#include <fmt/format.h>
#include <llvm/Support/Error.h>
#include <new>
#include <string>

namespace crosslane::api {

inline crosslane_status failed(std::string& message, crosslane_status status, llvm::Error error) {
  message = llvm::toString(std::move(error));
  return status;
}
template <class... T>
crosslane_status failed(std::string& message, crosslane_status status, fmt::format_string<T...> text, T&&... values) {
  message = fmt::format(text, std::forward<T>(values)...);
  return status;
}

// Calls `f` with the handle; a null one is an error.
template <class Handle, class F> crosslane_status attempt(Handle* handle, F f) noexcept {
  if (!handle)
    return CROSSLANE_ERROR_ARGUMENT;
  const auto note = [&](const char* text) noexcept {
    try {
      handle->message = text;
    } catch (...) { // the host is out of memory: the status must do
    }
  };
  try {
    handle->message.clear();
    return f(*handle);
  } catch (const std::bad_alloc&) {
    note("the host has no memory left");
    return CROSSLANE_ERROR_MEMORY;
  } catch (const std::exception& error) {
    note(error.what());
    return CROSSLANE_ERROR_INTERNAL;
  }
}

// A structure of the caller's, who knows `to->size` bytes of it.
template <class T> crosslane_status give(T* to, T value) {
  if (!to || to->size < sizeof(to->size))
    return CROSSLANE_ERROR_ARGUMENT;
  value.size = to->size;
  std::memcpy(to, &value, std::min(to->size, sizeof(value)));
  return CROSSLANE_OK;
}

} // namespace crosslane::api

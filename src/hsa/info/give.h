// Owns how the info functions answer: a value of the type that the attribute documents, written to where the client
// wants it.
#pragma once
#include <cstring>
#include <hsa/hsa.h>

namespace crosslane::hsa {

// `value` may have any alignment. Name T where the expression has another type than the attribute.
template <class T> hsa_status_t give(void* value, const T& answer) {
  std::memcpy(value, &answer, sizeof answer);
  return HSA_STATUS_SUCCESS;
}

} // namespace crosslane::hsa

// Owns the pieces that the JSON of a kernel, of views and of a trace share. Not for users of the layer.
#pragma once
#include "findings/profile.h"
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace crosslane::report::parts {

using Json = nlohmann::ordered_json;

inline Json hex(uint64_t value) { return fmt::format("{:#x}", value); }
// Whole numbers without ".0": there are many of them.
Json number(double value);
inline Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }
Json place(const findings::Place&);

const char* name_of(events::Space);
const char* name_of(events::AccessKind);

// `base`, `offsets` and `second` of the lanes' addresses, added to `entry`. LDS counts from 0, all else from the
// lowest.
struct LaneAddresses {
  uint64_t lanes = 0;
  const std::array<uint64_t, 64>*address = nullptr, *second = nullptr;
  bool lds = false;
};
void add_addresses(Json& entry, const LaneAddresses&);
// Of one execution; null if there was none.
Json example(const views::LaneExample&, bool lds);

Json trace(const findings::Trace&);

} // namespace crosslane::report::parts

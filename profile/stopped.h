// Owns the words about a kernel that was stopped while it ran: where its waves were.
//
//   kernel spin(unsigned int*) of 2 workgroups, of which 2 were running and none had ended; its waves:
//     waves  state    EXEC               pc              place      instruction           source         first
//         6  barrier  ffffffffffffffff   0x680000001118  spin+0x18  s_barrier             spin.cl:7:5    0:0
//         2  running  ff and 1 other     0x680000001120  spin+0x20  s_add_u32 s12, s12, 1  spin.cl:9:5   0:3
#pragma once
#include "engine/census.h"
#include "views/locate.h"

namespace crosslane::profile {

// `kernel`: its symbol. Without a newline at the end.
std::string describe(const engine::Census&, const views::Image&, const std::string& kernel);

} // namespace crosslane::profile

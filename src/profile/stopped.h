// Owns the words about a kernel that was stopped while it ran: where its waves were.
//
//   kernel hangs was stopped: of 2 workgroups, 0 had ended and 0 had not begun. Its waves:
//     waves  state       EXEC              one of them  pc              place       instruction  source
//         6  at barrier  ffffffffffffffff  1:1          0x680000001740  hangs+0x40  s_barrier    hangs.cl:6:3
#pragma once
#include "engine/census.h"
#include "views/locate.h"

namespace crosslane::profile {

// `kernel`: its symbol. Without a newline at the end.
std::string describe(const engine::Census&, const views::Image&, const std::string& kernel);

} // namespace crosslane::profile

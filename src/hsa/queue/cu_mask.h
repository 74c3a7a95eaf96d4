// Owns which compute units queues may use: HSA_CU_MASK of the environment, and the masks of hsa_amd_queue_cu_set_mask.
// What the bits mean is engine/places.h's.
#pragma once
#include "engine/places.h"
#include <map>
#include <string>

namespace crosslane::hsa {

struct Agent;
struct Queue;
class Runtime;

// What HSA_CU_MASK says, by the number of the GPU: "0,2-4:0-15,32-47; 1:0x337F". Parsing stops at the first set that
// makes no sense, as in ROCr; `error` then says what, and is else empty. Units and GPUs that are not there are left
// out.
std::map<uint32_t, engine::UnitMask> parse_cu_masks(std::string text, uint32_t gpus, uint32_t units,
                                                    std::string& error);
// Tells the GPUs what the environment says of them.
void read_cu_masks(Runtime&);

// `bits` 0: all units. True: some of them are not to be used in this process, and stay so.
bool set_cu_mask(Queue&, uint32_t bits, const uint32_t* mask);
// At its creation.
void initialise_cu_mask(Queue&);
// Of the card, as far as the queue may use them.
engine::Units units_of(Queue&);

} // namespace crosslane::hsa

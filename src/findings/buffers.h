// Owns saying where an address lies in the words of the program: which buffer, and which of its elements. Addresses are
// others in every run, and say nothing.
#pragma once
#include "findings/profile.h"
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace crosslane::findings {

// Null: none holds the address. The buffers are sorted by address, as those of a profile.
const Buffer* buffer_at(std::span<const Buffer>, uint64_t address);

// "in[16..31]", "in[5]"; of elements that are not known "device memory 2, bytes 64..127". All of it lies in the buffer.
std::string elements_text(const Buffer&, uint64_t address, uint64_t bytes);

// What the lanes of an example reach, from the lowest to the highest element: "`in[0..1008]`", "`a[0..3]` and
// `b[64..127]`". Empty if no buffer is known. `bytes`: of a lane.
std::string reached_text(std::span<const Buffer>, const views::LaneExample&, uint32_t bytes);

// What holds an address, if anything does.
using FindBuffer = std::function<std::optional<Buffer>(uint64_t address)>;

// Adds the buffers that the examples reach, or the traced wave, and that are not there. Ask before their memory is
// freed; where it has been, and was given to another, the first one stays.
void add_reached(std::vector<Buffer>&, std::span<const views::MemorySite>, const FindBuffer&);
void add_reached(std::vector<Buffer>&, const views::WaveTrace&, const FindBuffer&);

} // namespace crosslane::findings

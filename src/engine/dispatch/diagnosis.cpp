// From a recorded fault to its words: the instruction is decoded again, its lanes' addresses computed again.
#include "engine/diagnosis.h"
#include "codeobject/kernel_descriptor.h"
#include "engine/executes.h"
#include "engine/memory/lane_address.h"
#include "isa/decode.h"
#include "isa/print.h"
#include "machine/memory.h"
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sys/mman.h>

namespace crosslane::engine {

namespace {

// The first active lane whose access, inside of its buffer, touches the page of the faulting address; when the host did
// not say where (non-canonical addresses), the first lane whose address no host pointer can have. The host may name
// another lane's address of that page: without AVX-512 a row is accessed in two halves in either order, and one that
// cannot leave its page may be read as a whole (memory/access.h). What it accesses, in bytes; 0: no lane was found.
uint64_t find_lane(machine::Fault& fault, const isa::Instruction& inst, const Wave& w) {
  constexpr uint64_t page = 4096;
  const uint64_t at = fault.address, first = at & ~(page - 1);
  for (int lane = 0; lane < 64; ++lane) {
    if (!(w.exec() >> lane & 1))
      continue;
    const auto access = lane_address(inst, w, lane);
    if (!access)
      continue; // outside of its buffer
    const bool touches = access->address - first < page || first - access->address < access->bytes;
    const bool impossible = at == 0 && access->address >> 47 != 0;
    if (touches || impossible) {
      fault.lane = lane;
      fault.address = access->address;
      return access->bytes;
    }
  }
  return 0;
}

// Which allocation the access misses. One that begins inside of it goes past its end.
std::string describe(const machine::Memory& memory, uint64_t address, uint64_t bytes) {
  const auto a = memory.nearest(address);
  if (!a || address - a->address >= a->size || bytes <= a->address + a->size - address)
    return memory.describe(address);
  return std::to_string(bytes) + " bytes from byte " + std::to_string(address - a->address) + " on cross the end of '" +
         a->name + "' (" + std::to_string(a->size) + " bytes)";
}

// What a work-item has of private memory, and why that may be too little.
std::string beyond_scratch(uint64_t address, const DispatchContext& ctx, const Wave& w) {
  const auto* descriptor = reinterpret_cast<const void*>(ctx.packet->kernel_object);
  const auto kd = ctx.options->amd_kernel_code ? codeobject::KernelDescriptor::at_version2(descriptor)
                                               : codeobject::KernelDescriptor::at(descriptor);
  return "byte " + std::to_string(address - machine::apertures().private_base) +
         " of a work-item's private memory, which has " + std::to_string(w.scratch_bytes) +
         " bytes (the kernel declares " + std::to_string(kd.private_segment_fixed_size) + ", the dispatch asks for " +
         std::to_string(ctx.packet->private_segment_size) +
         "); compilers cannot tell how deep a recursion goes, nor what calls through pointers need: more must then be "
         "asked for (crosslane launch --stack BYTES, the library's option 'stack')";
}

// The host has memory at the address.
bool is_mapped(uint64_t address) {
  constexpr uint64_t page = 4096;
  unsigned char resident;
  return address >> 47 == 0 && mincore(reinterpret_cast<void*>(address & ~(page - 1)), page, &resident) == 0;
}

// The host lets it be read, and not written.
bool is_read_only(uint64_t address) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long begin, end;
    char permissions[5];
    if (std::sscanf(line.c_str(), "%lx-%lx %4s", &begin, &end, permissions) == 3 && address >= begin && address < end)
      return permissions[0] == 'r' && permissions[1] != 'w';
  }
  return false;
}

} // namespace

Program& program_of(const Wave& w, const Uop* op) {
  const Programs& of = programs(&w);
  return of.trap && of.trap->owns(op) ? *of.trap : *of.kernel;
}

std::string text_at(const Program& program, uint64_t pc, isa::Instruction& inst) {
  const uint64_t left = program.base() + program.size() - pc;
  const auto* bytes = reinterpret_cast<const uint8_t*>(pc);
  if (isa::decode(program.target(), std::span(bytes, left), inst))
    return isa::print(inst);
  if (left < 4)
    return "";
  uint32_t word;
  std::memcpy(&word, bytes, 4);
  char text[24];
  std::snprintf(text, sizeof text, ".long 0x%08x", word);
  return text;
}

void diagnose(machine::Fault& fault, const Wave& w) {
  const DispatchContext& ctx = context(&w);
  fault.kernel = ctx.kernel;
  std::copy(std::begin(w.workgroup->id), std::end(w.workgroup->id), fault.workgroup);
  fault.wave = w.id;
  if (fault.kind == machine::FaultKind::bad_pc) {
    fault.pc = fault.address;
    fault.detail = fault.pc % 4 ? "instructions are at multiples of 4" : "there is no loaded code here";
    return;
  }
  const auto* op = static_cast<const Uop*>(w.fault_op);
  Program& program = program_of(w, op);
  fault.pc = program.address_of(op);
  isa::Instruction inst;
  fault.instruction = text_at(program, fault.pc, inst);
  if (fault.kind == machine::FaultKind::register_out_of_range)
    fault.detail = beyond_registers(inst, program.limits());
  if (fault.kind == machine::FaultKind::unimplemented && fault.detail.empty())
    fault.detail = why_not_executed(inst);
  if (fault.kind == machine::FaultKind::lds_out_of_range && fault.detail.empty())
    fault.detail = "the workgroup has " + std::to_string(w.workgroup->lds_bytes) + " bytes";
  if (fault.kind == machine::FaultKind::unmapped_address) {
    const uint64_t bytes = find_lane(fault, inst, w);
    if (ctx.options->memory)
      fault.detail = describe(*ctx.options->memory, fault.address, bytes);
    if (is_read_only(fault.address))
      fault.detail = "the memory there is read-only; " + fault.detail;
    if (!ctx.options->reach.contains(fault.address) && is_mapped(fault.address))
      fault.detail += "; this is memory of the host program, which a device does not reach: allocate or register it "
                      "for the device and "
                      "give the kernel the device's pointer, or let kernels reach all memory (--host-memory, the "
                      "library's option 'host_memory')";
  }
  if (fault.kind == machine::FaultKind::scratch_out_of_range)
    fault.detail = beyond_scratch(fault.address, ctx, w);
}

} // namespace crosslane::engine

// Code is disassembled from the functions' beginnings; what ran besides (trap handlers, code between functions) is
// added.
#include "profile/kernel.h"
#include "findings/text.h"
#include "isa/decode.h"
#include "isa/print.h"
#include <algorithm>
#include <cstring>
#include <map>
#include <set>

namespace crosslane::profile {

namespace {

using findings::ProfiledInstruction;

class Code final : public report::Listing {
public:
  Code(findings::KernelProfile& kernel, const views::Image& image, Sources& sources)
      : kernel_(kernel), image_(image), object_(*image.object), sources_(sources), functions_(object_.functions()) {}

  void add_function(const codeobject::Function& function) {
    if (!done_.insert(function.begin).second)
      return;
    const auto bytes = object_.bytes_at(function.begin, function.end - function.begin);
    for (size_t at = 0; at + 4 <= bytes.size();) {
      isa::Instruction instruction;
      const int size = isa::decode(image_.target, bytes.subspan(at), instruction);
      if (size > 0)
        add(function.begin + at, instruction, &function);
      at += size > 0 ? static_cast<size_t>(size) : 4;
    }
  }
  const codeobject::Function* function_at(uint64_t address) const {
    const auto after = std::upper_bound(functions_.begin(), functions_.end(), address,
                                        [](uint64_t a, const codeobject::Function& f) { return a < f.begin; });
    return after != functions_.begin() && address < after[-1].end ? &after[-1] : nullptr;
  }
  findings::KernelProfile& kernel() override { return kernel_; }
  const views::Image& image() const override { return image_; }
  void ran(uint64_t pc, const isa::Instruction& instruction) override {
    const uint64_t address = image_.to_object(pc);
    const auto* function = function_at(address);
    if (function)
      add_function(*function);
    add(address, instruction, function);
  }
  // Sorts, and makes of addresses what they refer to.
  void finish() {
    for (auto& [address, entry] : entries_) {
      index_[address] = static_cast<int>(kernel_.instructions.size());
      kernel_.instructions.push_back(std::move(entry));
    }
    for (auto& entry : kernel_.instructions)
      if (const auto target = views::branch_target(entry.instruction, entry.address))
        entry.target = index_of(*target);
  }
  int index(uint64_t pc) const override { return index_of(image_.to_object(pc)); }
  ProfiledInstruction* at(uint64_t pc) override {
    const int i = index(pc);
    return i < 0 ? nullptr : &kernel_.instructions[static_cast<size_t>(i)];
  }

private:
  // Of an address of the code object; -1 if there is none.
  int index_of(uint64_t address) const {
    const auto found = index_.find(address);
    return found == index_.end() ? -1 : found->second;
  }
  void add(uint64_t address, const isa::Instruction& instruction, const codeobject::Function* function) {
    const auto [place, added] = entries_.try_emplace(address);
    if (!added)
      return;
    ProfiledInstruction& entry = place->second;
    entry.address = address;
    entry.instruction = instruction;
    const auto bytes = object_.bytes_at(address, instruction.size);
    std::memcpy(entry.words.data(), bytes.data(), std::min(bytes.size(), sizeof entry.words));
    entry.kind = findings::class_of(instruction);
    entry.source = sources_.place(object_, address);
    if (function) {
      entry.function = function->name;
      entry.offset = address - function->begin;
      entry.text = findings::plain(views::text_of(instruction, address, *function, object_));
    } else {
      entry.offset = address;
      entry.text = isa::print(instruction);
    }
  }

  findings::KernelProfile& kernel_;
  const views::Image& image_;
  const codeobject::CodeObject& object_;
  Sources& sources_;
  const std::vector<codeobject::Function> functions_;
  std::set<uint64_t> done_; // functions, by their beginning
  std::map<uint64_t, ProfiledInstruction> entries_;
  std::map<uint64_t, int> index_;
};

} // namespace

void fill_in_instructions(findings::KernelProfile& kernel, const views::Image& image, const codeobject::Kernel& code,
                          std::span<const std::unique_ptr<report::Hearing>> hearings, Sources& sources) {
  Code listing(kernel, image, sources);
  if (const auto* entry = listing.function_at(code.entry))
    listing.add_function(*entry);
  for (const auto& hearing : hearings)
    hearing->list(listing);
  listing.finish();
  for (const auto& hearing : hearings)
    hearing->fill_in(listing);
}

findings::Trace make_trace(views::WaveTrace wave, const views::Image& image, Sources& sources) {
  findings::Trace trace;
  const auto functions = image.object->functions();
  for (const auto& executed : wave.instructions) {
    findings::Trace::Instruction entry;
    entry.address = image.to_object(executed.pc);
    entry.source = sources.place(*image.object, entry.address);
    const auto function = std::find_if(functions.begin(), functions.end(), [&](const auto& f) {
      return entry.address >= f.begin && entry.address < f.end;
    });
    if (function != functions.end()) {
      entry.function = function->name;
      entry.offset = entry.address - function->begin;
      entry.text = findings::plain(views::text_of(executed.instruction, entry.address, *function, *image.object));
    } else {
      entry.offset = entry.address;
      entry.text = isa::print(executed.instruction);
    }
    trace.instructions.push_back(std::move(entry));
  }
  trace.wave = std::move(wave);
  return trace;
}

} // namespace crosslane::profile

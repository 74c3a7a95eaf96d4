// By name, or as a file.
#include "launch/card.h"
#include "files/error.h"
#include "files/read.h"
#include "launch/buffers.h"
#include <optional>

namespace crosslane::launch {

llvm::Expected<gpu::Machine> card_of(const Job& job, isa::Target target) {
  std::optional<gpu::Machine> machine;
  if (job.gpu.empty()) {
    machine = gpu::machine(*gpu::find_card(isa::info(target).name));
  } else if (job.gpu.ends_with(".toml")) {
    const std::string path = resolve_path(job.folder, job.gpu);
    auto text = files::read(path);
    if (!text)
      return text.takeError();
    auto parsed = gpu::parse_machine({reinterpret_cast<const char*>(text->data()), text->size()}, path);
    if (!parsed.machine)
      return fail("{}", parsed.error);
    machine = std::move(parsed.machine);
  } else if (const gpu::Card* card = gpu::find_card(job.gpu)) {
    machine = gpu::machine(*card);
  } else {
    return fail("--gpu: {}", gpu::unknown_card(job.gpu));
  }
  if (machine->target != target)
    return fail("--gpu {}: that card is {}, the code is for {}; --target compiles for another one, if there is source",
                job.gpu, isa::info(machine->target).name, isa::info(target).name);
  return std::move(*machine);
}

} // namespace crosslane::launch

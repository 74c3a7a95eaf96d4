// By name, or as a file.
#include "launch/card.h"
#include "files/error.h"
#include "gpu/choice.h"
#include "launch/buffers.h"
#include <algorithm>

namespace crosslane::launch {

llvm::Expected<gpu::Machine> card_of(const Job& job, isa::Target target, const std::string& usual) {
  const bool is_usual = std::ranges::any_of(
      gpu::cards(), [&](const gpu::Card& card) { return card.name == usual && card.target == target; });
  const std::string name = job.gpu.empty()         ? is_usual ? usual : std::string(isa::info(target).name)
                                   : gpu::is_file(job.gpu) ? resolve_path(job.folder, job.gpu)
                                                   : job.gpu;
  auto choice = gpu::choose(name);
  if (!choice)
    return fail("{}: {}", option(job.wording, "gpu", job.gpu), llvm::toString(choice.takeError()));
  if (choice->card->target != target)
    return fail("{}: that card is {}, the code is for {}; {} compiles for another one, if there is source",
                option(job.wording, "gpu", job.gpu), isa::info(choice->card->target).name, isa::info(target).name,
                option(job.wording, "target"));
  return choice->machine();
}

} // namespace crosslane::launch

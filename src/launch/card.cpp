// By name, or as a file.
#include "launch/card.h"
#include "files/error.h"
#include "gpu/choice.h"
#include "launch/buffers.h"

namespace crosslane::launch {

llvm::Expected<gpu::Machine> card_of(const Job& job, isa::Target target) {
  const std::string name = job.gpu.empty()         ? std::string(isa::info(target).name)
                           : gpu::is_file(job.gpu) ? resolve_path(job.folder, job.gpu)
                                                   : job.gpu;
  auto choice = gpu::choose(name);
  if (!choice)
    return fail("--gpu {}: {}", job.gpu, llvm::toString(choice.takeError()));
  if (choice->card->target != target)
    return fail("--gpu {}: that card is {}, the code is for {}; --target compiles for another one, if there is source",
                job.gpu, isa::info(choice->card->target).name, isa::info(target).name);
  return choice->machine();
}

} // namespace crosslane::launch

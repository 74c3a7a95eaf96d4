// Every pair of places, compared.
#include "files/collisions.h"
#include "files/error.h"
#include "files/place.h"
#include <algorithm>
#include <optional>
#include <unistd.h>
#include <vector>

namespace crosslane::files {

namespace {

// What has no place is read or written by nobody; who tries it says why.
std::optional<Place> place_if_any(const std::string& name) {
  auto place = place_of(name);
  if (place)
    return *place;
  llvm::consumeError(place.takeError());
  return {};
}

} // namespace

llvm::Error refuse_collisions(std::span<const Use> inputs, std::span<const Use> outputs) {
  std::vector<std::optional<Place>> read, written;
  for (const auto& input : inputs)
    read.push_back(place_if_any(input.name));
  for (const auto& output : outputs)
    written.push_back(place_if_any(output.name));
  for (size_t i = 0; i < outputs.size(); ++i) {
    const auto& [name, what] = outputs[i];
    if (!written[i])
      continue;
    for (size_t k = 0; k < inputs.size(); ++k)
      if (read[k] && written[i]->same(*read[k]))
        return fail("{} would overwrite {}, {}: give it another name", what, inputs[k].what, inputs[k].name);
    for (size_t k = 0; k < i; ++k)
      if (written[k] && written[i]->same(*written[k]))
        return fail("{} and {} would both be written to {}: give each a name of its own", outputs[k].what, what, name);
    if (written[i]->descriptor >= 0)
      continue;
    for (const auto& [descriptor, stream] :
         {std::pair(STDOUT_FILENO, "standard output"), {STDERR_FILENO, "standard error"}})
      if (written[i]->same(place_of(descriptor)))
        return fail(
            "{} would be written to {}, where {} goes already: give it another name, or '-' for standard output", what,
            name, stream);
  }
  return llvm::Error::success();
}

bool uses_standard_output(std::span<const Use> outputs) {
  return std::any_of(outputs.begin(), outputs.end(), [](const Use& output) {
    const auto place = place_if_any(output.name);
    return place && place->descriptor == STDOUT_FILENO;
  });
}

} // namespace crosslane::files

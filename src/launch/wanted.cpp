// Names to buffers, values and places.
#include "launch/wanted.h"
#include "capture/names.h"
#include "files/error.h"
#include "files/write.h"
#include "launch/buffers.h"
#include "launch/compare.h"

namespace crosslane::launch {

namespace {

// "name=rest", and the buffer of that name.
struct Named {
  std::string name, rest;
  int buffer;
};

class Resolver {
public:
  Resolver(const Job& job, const Arguments& arguments, const Signature& signature)
      : job_(job), arguments_(arguments), signature_(signature) {}

  llvm::Error print(const std::string& text) {
    auto print = parse_print(text, job_.wording);
    if (!print)
      return print.takeError();
    auto buffer = find(print->first, option(job_.wording, "print"));
    if (!buffer)
      return buffer.takeError();
    wanted_.prints.push_back({print->first, print->second});
    return llvm::Error::success();
  }

  llvm::Error out(const std::string& text) {
    auto named = find_pair(text, option(job_.wording, "out"));
    if (!named)
      return named.takeError();
    wanted_.outs.push_back({resolve_output(job_.folder, named->rest), named->buffer});
    return llvm::Error::success();
  }

  llvm::Error expect(const std::string& text) {
    auto named = find_pair(text, option(job_.wording, "expect"));
    if (!named)
      return named.takeError();
    const Buffer& given = arguments_.buffers[static_cast<size_t>(named->buffer)].initial;
    const std::string& words = named->rest;
    auto value = make_buffer(looks_like_buffer(words) ? words : "@" + words, given.type, job_.folder);
    if (!value)
      return fail("{} {}: {}", option(job_.wording, "expect"), named->name, llvm::toString(value.takeError()));
    if (auto comparable = compare(named->name, given, *value, 0, 0); !comparable)
      return fail("{}: {}", option(job_.wording, "expect"), llvm::toString(comparable.takeError()));
    wanted_.expects.push_back({named->name, named->buffer, std::move(*value)});
    return llvm::Error::success();
  }

  Wanted take() { return std::move(wanted_); }

private:
  llvm::Expected<int> find(const std::string& name, std::string_view option) {
    auto buffer = arguments_.find_buffer(name, signature_);
    if (!buffer)
      return fail("{}: {}", option, llvm::toString(buffer.takeError()));
    return buffer;
  }
  llvm::Expected<Named> find_pair(const std::string& text, std::string_view option) {
    auto pair = parse_pair(text, option);
    if (!pair)
      return pair.takeError();
    auto buffer = find(pair->first, option);
    if (!buffer)
      return buffer.takeError();
    return Named{pair->first, pair->second, *buffer};
  }

  const Job& job_;
  const Arguments& arguments_;
  const Signature& signature_;
  Wanted wanted_;
};

} // namespace

llvm::Expected<Wanted> resolve(const Job& job, const Arguments& arguments, const Signature& signature) {
  Resolver resolver(job, arguments, signature);
  for (const auto& text : job.print)
    if (auto error = resolver.print(text))
      return std::move(error);
  for (const auto& text : job.out)
    if (auto error = resolver.out(text))
      return std::move(error);
  for (const auto& text : job.expect)
    if (auto error = resolver.expect(text))
      return std::move(error);
  return resolver.take();
}

llvm::Expected<std::vector<files::Use>> outputs_of(const Job& job) {
  const auto& names = job.wording == Wording::keys ? profile::key_names : profile::option_names;
  const auto called = [&](const char* key) { return option(job.wording, key); };
  std::vector<files::Use> outputs = {
      {job.profile.json, names.json}, {job.profile.csv, names.csv}, {job.profile.html, names.html}};
  std::erase_if(outputs, [](const files::Use& report) { return report.name.empty(); });
  if (!job.checked.file.empty())
    outputs.push_back({job.checked.file, called("findings")});
  if (!job.counters.empty())
    outputs.push_back({job.counters, called("counters")});
  for (const auto& text : job.out) {
    auto pair = parse_pair(text, called("out"));
    if (!pair)
      return pair.takeError();
    outputs.push_back({resolve_output(job.folder, pair->second), called("out") + " " + pair->first});
  }
  for (const auto& output : outputs)
    if (auto error = files::check_writable(output.name))
      return std::move(error);
  return outputs;
}

std::vector<files::Use> inputs_of(const Job& job, const Arguments& arguments, const Wanted& wanted) {
  std::vector<files::Use> inputs;
  if (job.capture.empty())
    inputs.push_back({resolve_path(job.folder, job.file), "the kernel's file"});
  else
    inputs.push_back({job.capture + "/" + capture::pack_name, "the capture's memory"});
  if (!job.description.empty())
    inputs.push_back({job.description, "the launch description"});
  if (!job.trap_handler.empty())
    inputs.push_back({resolve_path(job.folder, job.trap_handler), "the trap handler"});
  for (const auto& buffer : arguments.buffers)
    if (!buffer.initial.file.empty())
      inputs.push_back({buffer.initial.file, fmt::format("argument '{}'", buffer.name)});
  for (const auto& expect : wanted.expects)
    if (!expect.value.file.empty())
      inputs.push_back({expect.value.file, fmt::format("what is expected of '{}'", expect.name)});
  return inputs;
}

} // namespace crosslane::launch

// The folder's own file is made first: who makes it has the folder.
#include "capture/writer.h"
#include "capture/names.h"
#include "files/error.h"
#include "files/write.h"
#include <cerrno>
#include <cstring>
#include <sys/stat.h>

namespace crosslane::capture {

llvm::Expected<std::unique_ptr<Writer>> Writer::create(const std::string& folder, uint64_t limit, bool* taken) {
  if (taken)
    *taken = false;
  if (mkdir(folder.c_str(), 0777) != 0 && errno != EEXIST)
    return fail("{}: {}", folder, std::strerror(errno));
  const std::string_view text = about_text;
  if (const auto error =
          files::create(folder + "/" + about_name, {reinterpret_cast<const uint8_t*>(text.data()), text.size()})) {
    if (taken)
      *taken = error == std::errc::file_exists;
    return fail("{}: {}", folder,
                error == std::errc::file_exists ? "is a capture already: name a new folder, or remove it"
                                                : error.message());
  }
  if (mkdir((folder + "/" + dispatches_name).c_str(), 0777) != 0)
    return fail("{}/{}: {}", folder, dispatches_name, std::strerror(errno));
  std::unique_ptr<Writer> writer(new Writer(folder, limit));
  auto pack = PackWriter::create(folder + "/" + pack_name);
  if (!pack)
    return pack.takeError();
  writer->pack_ = std::move(*pack);
  writer->pack_->set_limit(limit);
  return writer;
}

llvm::Error Writer::write(const Dispatch& dispatch) {
  const std::string text = text_of(dispatch);
  uint64_t& before = text_[dispatch.number];
  if (bytes() - before + text.size() > limit_)
    return fail("it would be larger than its limit");
  if (auto error = pack_->keep())
    return error;
  if (auto error = files::write(folder_ + "/" + file_of(dispatch.number), text))
    return error;
  texts_ += text.size() - before;
  before = text.size();
  pack_->set_limit(limit_ > texts_ ? limit_ - texts_ : 0);
  return llvm::Error::success();
}

} // namespace crosslane::capture

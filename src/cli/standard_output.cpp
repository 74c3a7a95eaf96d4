// One stream, and its first error.
#include "cli/standard_output.h"
#include "cli/colour.h"
#include "files/error.h"
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace crosslane::cli {

namespace {

std::FILE* stream = stdout;
int first_error = 0;

void note_error() {
  if (errno == EPIPE) { // somebody had told this process to ignore it
    std::signal(SIGPIPE, SIG_DFL);
    std::raise(SIGPIPE);
  }
  if (!first_error)
    first_error = errno;
}

} // namespace

bool print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stream) != text.size() && stream == stdout)
    note_error();
  return !first_error;
}

bool print_report(std::string_view text) { return print(with_headings(text, palette(fileno(stream)))); }

void leave_standard_output() { stream = stderr; }

void flush_printed() {
  if (std::fflush(stdout) != 0)
    note_error();
}

llvm::Error finish_printing() {
  flush_printed();
  if (first_error)
    return fail("cannot write to standard output: {}", std::strerror(first_error));
  return llvm::Error::success();
}

void keep_standard_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF)
      continue;
    // The other way round than they are used. The lowest free number is this one.
    if (open("/dev/null", (descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC) != descriptor)
      return;
  }
}

} // namespace crosslane::cli

// Owns what a verb prints: text on standard output, or on standard error where a document takes standard output for
// itself. What could not be written is found out at the end, by main(); a reader that has gone (SIGPIPE) ends the
// process quietly.
#pragma once
#include <llvm/Support/Error.h>
#include <string_view>

namespace crosslane::cli {

// False: it does not arrive, and there is no use in going on.
bool print(std::string_view text);
// The same of a report, whose headings are shown as such on a terminal.
bool print_report(std::string_view text);
// Before something else is written to where it may go too.
void flush_printed();
// From now on to standard error.
void leave_standard_output();
// The error, if something that was printed did not arrive.
llvm::Error finish_printing();

// Descriptors that were closed when the process began (`>&-`) would become those of the first files that it opens, and
// be printed into: keeps their numbers, so that writing there fails. A program that this one becomes has them closed
// again.
void keep_standard_descriptors();

} // namespace crosslane::cli

// Owns access to .debug_line by LLVM's reader of it, which must not see every header: ordinary_header() says which.
// Shared by who reads lines and who writes them; not for other layers.
#pragma once
#include "codeobject/debug_info.h"
#include <llvm/DebugInfo/DWARF/DWARFContext.h>

namespace crosslane::codeobject {

// What read_debug_info() reads.
inline constexpr std::initializer_list<llvm::StringRef> unit_sections = {
    "debug_info", "debug_abbrev",      "debug_str",    "debug_line_str",
    "debug_addr", "debug_str_offsets", "debug_ranges", "debug_rnglists"};

inline void ignore_error(llvm::Error error) { llvm::consumeError(std::move(error)); }

bool ordinary_header(const llvm::DataExtractor& data, uint64_t offset);

// LLVM's reader of line tables, which is given nothing else of the debug information to read.
struct LineTables {
  DebugSections sections;
  std::unique_ptr<llvm::DWARFContext> context;
  llvm::DWARFDataExtractor data;
  llvm::DWARFUnitVector no_units;

  explicit LineTables(const Contents& contents)
      : sections(contents, {"debug_line", "debug_line_str", "debug_str"}),
        context(llvm::DWARFContext::create(sections.buffers(), /*AddrSize=*/8, /*isLittleEndian=*/true, ignore_error,
                                           ignore_error)),
        data(context->getDWARFObj(), context->getDWARFObj().getLineSection(), /*IsLittleEndian=*/true,
             /*AddressSize=*/8) {}
  llvm::DWARFDebugLine::SectionParser parser() { return {data, *context, no_units}; }
};

} // namespace crosslane::codeobject

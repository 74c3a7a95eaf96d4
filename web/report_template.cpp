// Owns the bytes of the page, taken in by the assembler: quick to build, whatever its size.
#include "web/report_template.h"

asm(".section .rodata.crosslane_report_page,\"a\",@progbits\n"
    ".hidden crosslane_report_page\n"
    ".globl crosslane_report_page\n"
    "crosslane_report_page:\n"
    ".incbin \"" CROSSLANE_REPORT_PAGE "\"\n"
    ".hidden crosslane_report_page_end\n"
    ".globl crosslane_report_page_end\n"
    "crosslane_report_page_end:\n"
    ".previous\n");

extern "C" {
[[gnu::visibility("hidden")]] extern const char crosslane_report_page[];
[[gnu::visibility("hidden")]] extern const char crosslane_report_page_end[];
}

namespace crosslane::web {

std::string_view report_template() {
  return {crosslane_report_page, static_cast<size_t>(crosslane_report_page_end - crosslane_report_page)};
}

} // namespace crosslane::web

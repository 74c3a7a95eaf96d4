// Owns the tools (profilers) that are loaded with the runtime: the libraries of HSA_TOOLS_LIB and those that are in the
// process already and export HSA_AMD_TOOL_PRIORITY. Each is handed the API tables. What is done, and when, is ROCr's
// (Runtime::LoadTools).
//   HSA_TOOLS_LIB                  libraries, with spaces between them; " and \ quote
//   HSA_TOOLS_REPORT_LOAD_FAILURE  0: no word about those that cannot be loaded
// Newer profilers (rocprofiler-sdk) are not loaded from here, but by librocprofiler-register.so.0 where there is that
// library: it is told of the tables, as ROCr does since 6.1, and where it knows a profiler the variable above is not
// looked at.
//   HSA_TOOLS_DISABLE_REGISTER          1: it is not
//   HSA_TOOLS_REPORT_REGISTER_FAILURE   1: a word about why it did not want them
//   HSA_TOOLS_ROCPROFILER_V1_TOOLS      anything but 0, off, false, no: HSA_TOOLS_LIB all the same
#pragma once
#include <string>
#include <vector>

namespace crosslane::hsa {

// At the end of the first hsa_init: loads the tools and calls OnLoad of each, in their order. False: `error` says what
// in the environment makes no sense.
bool load_tools(std::string& error);
// At the last hsa_shut_down, while everything still works: OnUnload of each, the last first; the tables are as if there
// had been none. Unlike with ROCr the libraries stay: a tool's own hsa_shut_down, from the table, may be what we return
// to.
void unload_tools();

// HSA_TOOLS_LIB as ROCr reads it.
std::vector<std::string> parse_tool_names(const std::string& list);

} // namespace crosslane::hsa

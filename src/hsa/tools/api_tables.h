// Owns the API tables: what a tool (profiler) is handed to change. Every exported function jumps through its entry
// (entries.h), so that what a tool writes there is called from then on. A tool is compiled for the layout of one
// release; so the process has that of one. Source: hsa_api_trace.h of the releases that functions.inc names; versions
// and sizes as there.
#pragma once
#include "hsa/tools/entries.h"
#include <hsa/hsa.h>
#include <string>

namespace crosslane::hsa {

// The layout that the process gets. CROSSLANE_HSA_TABLES says so (5.2, 5.5, 5.6, 6.0 ... 7.0); else the newest release
// that shows in what is loaded: functions of this library that objects import, and the version of HIP's library.
// `error`: the variable makes no sense.
Release release_in_use(std::string& error);

// HsaApiTable of hsa_api_trace.h. The first call lays all tables out as `release` has them; later ones change nothing.
void* make_tables(Release release);
// Puts the implementations back into all entries, as ROCr does once tools are unloaded.
void reset_tables();

// Whether a tool has put a function of its own into the entry of `name` of functions.inc.
bool is_replaced(const char* name);

} // namespace crosslane::hsa

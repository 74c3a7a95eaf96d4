// What the test's tool remembers.
#pragma once
#define AMD_INTERNAL_BUILD // headers side by side
#include <hsa/hsa_api_trace.h>

struct ToolRecord {
  int loads, unloads, calls;
  HsaApiTable* table;
  uint64_t runtime_version, failed_count;
  char failed[1024]; // names, each with a space behind it
  hsa_status_t status_in_on_load, status_in_on_unload;
};
using ToolRecordOf = ToolRecord* (*)();

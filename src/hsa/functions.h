// The functions of the API as they are implemented here, in a namespace of their own. A client's call of hsa_init goes
// by the tables that tools may change (entries.cpp, api_tables.h); a call of functions::hsa_init does not. Nothing in
// this library calls the former.
#pragma once
#include "hsa/newer.h"
#include "hsa/tools/newer_tools.h"
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <hsa/hsa_ext_finalize.h>
#include <hsa/hsa_ext_image.h>

namespace crosslane::hsa::functions {

#define FUNCTION(table, release, name) decltype(::name) name;
#define TABLE_ONLY(table, release, name) decltype(::name) name;
#define ALONE(name) decltype(::name) name;
#include "hsa/functions.inc"

} // namespace crosslane::hsa::functions

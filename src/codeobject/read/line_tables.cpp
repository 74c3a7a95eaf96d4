// The check of a header before LLVM's reader sees it.
#include "codeobject/read/line_tables.h"
#include <llvm/BinaryFormat/Dwarf.h>

namespace crosslane::codeobject {
namespace {

// LLVM's reader of version 5 headers trusts their counts and forms: a form without bytes makes it allocate without end,
// an unexpected one makes it read a value that is not there. So only headers with ordinary forms get that far.
bool ordinary_form(uint64_t type, uint64_t form) {
  using namespace llvm::dwarf;
  switch (type) {
  case DW_LNCT_path:
  case DW_LNCT_LLVM_source: return form == DW_FORM_string || form == DW_FORM_line_strp || form == DW_FORM_strp;
  case DW_LNCT_MD5: return form == DW_FORM_data16;
  default:
    return form == DW_FORM_udata || form == DW_FORM_data1 || form == DW_FORM_data2 || form == DW_FORM_data4 ||
           form == DW_FORM_data8;
  }
}

} // namespace

bool ordinary_header(const llvm::DataExtractor& data, uint64_t offset) {
  llvm::DataExtractor::Cursor at(offset);
  uint64_t length = data.getU32(at);
  bool wide = length == llvm::dwarf::DW_LENGTH_DWARF64;
  if (wide)
    length = data.getU64(at);
  bool fits = inside(at.tell(), length, 0, data.size());
  uint16_t version = data.getU16(at);
  bool ordinary = true;
  if (version >= 5) {
    ordinary = data.getU8(at) == 8; // address size
    data.getU8(at);                 // segment selector
    data.getUnsigned(at, wide ? 8 : 4);
    data.skip(at, 5); // instruction length, operations, is_stmt, line base and range
    uint8_t opcode_base = data.getU8(at);
    data.skip(at, opcode_base ? opcode_base - 1 : 0);
    for (int table = 0; table < 2 && at && ordinary; ++table) { // directories, then files
      std::vector<uint64_t> forms;
      for (unsigned left = data.getU8(at); left && at; --left) {
        uint64_t type = data.getULEB128(at), form = data.getULEB128(at);
        ordinary = ordinary && ordinary_form(type, form);
        forms.push_back(form);
      }
      uint64_t count = data.getULEB128(at);
      if (forms.empty())
        ordinary = ordinary && count == 0;
      for (; ordinary && count && at; --count)
        for (uint64_t form : forms)
          switch (form) {
          case llvm::dwarf::DW_FORM_string: data.getCStrRef(at); break;
          case llvm::dwarf::DW_FORM_udata: data.getULEB128(at); break;
          case llvm::dwarf::DW_FORM_data1: data.skip(at, 1); break;
          case llvm::dwarf::DW_FORM_data2: data.skip(at, 2); break;
          case llvm::dwarf::DW_FORM_data4: data.skip(at, 4); break;
          case llvm::dwarf::DW_FORM_data8: data.skip(at, 8); break;
          case llvm::dwarf::DW_FORM_data16: data.skip(at, 16); break;
          default: data.skip(at, wide ? 8 : 4); break; // line_strp, strp
          }
    }
  }
  bool complete = static_cast<bool>(at);
  ignore_error(at.takeError());
  return fits && ordinary && complete;
}

} // namespace crosslane::codeobject

// Owns what becomes of a fault: the status and the text that a queue's callback and hsa_status_string give to the
// client, and the end of the process on a memory fault that nobody handles.
#pragma once
#include "machine/fault.h"
#include <hsa/hsa.h>
#include <string>

namespace crosslane::hsa {

class Runtime;
struct Agent;

// HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION and so on.
hsa_status_t status_of(const machine::Fault&);
// Remembers the diagnosis, so that hsa_status_string(status) tells it from now on.
void remember_diagnosis(hsa_status_t status, const std::string& text);
// The text of a status, for messages of our own.
std::string diagnosis_of(hsa_status_t);
// A GPU memory fault: calls the system event handler if there is one, else prints what the real runtime prints, and the
// diagnosis, and aborts the process.
void memory_fault(Runtime&, const Agent&, uint64_t address, const std::string& diagnosis);

} // namespace crosslane::hsa

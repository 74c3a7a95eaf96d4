// Owns executables and what they are loaded from: readers and (legacy) code objects. Handles are checked: one that is
// not, or no longer, valid gives the documented status. Source: HSA runtime specification 1.2, 2.10 "Code objects and
// executables".
#pragma once
#include "hsa/code/probes.h"
#include "hsa/code/symbols.h"
#include "hsa/handles.h"
#include <atomic>
#include <deque>
#include <hsa/hsa_ven_amd_loader.h>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace crosslane::hsa {

class Runtime;

// The bytes of a code object that is not loaded: a code object reader, or a hsa_code_object_t, which holds its own
// copy.
struct CodeSource : std::enable_shared_from_this<CodeSource> {
  // The client's memory, of a reader; else empty.
  std::span<const uint8_t> memory;
  std::vector<uint8_t> owned; // of a file, or of a hsa_code_object_t
  int file = -1;              // descriptor
  std::string path, uri;      // path: of a file

  std::span<const uint8_t> bytes() const { return owned.empty() ? memory : std::span<const uint8_t>(owned); }
  // Reads it, once; null, after saying why, if it is no code object for GPUs of this kind.
  std::shared_ptr<const codeobject::CodeObject> object();

private:
  friend class Loader;
  std::mutex mutex_;                  // guards what follows
  std::vector<LoadedSymbol> symbols_; // of a hsa_code_object_t, once somebody asked
  bool tried_ = false;
  std::shared_ptr<const codeobject::CodeObject> object_;
};

struct Executable;

// One code object in an executable.
struct LoadedObject {
  uint64_t handle = 0; // hsa_loaded_code_object_t
  Executable* executable = nullptr;
  std::shared_ptr<LoadedCode> loaded;
  std::vector<LoadedSymbol> symbols;
  std::vector<std::string> missing; // symbols that nobody had defined when it was loaded
  std::span<const uint8_t> memory;  // the client's; of a hsa_code_object_t, a copy that stays
  int file = -1;
  std::string path, uri;
};

struct Executable : std::enable_shared_from_this<Executable> {
  uint64_t handle = 0;
  hsa_profile_t profile = HSA_PROFILE_FULL;
  hsa_default_float_rounding_mode_t rounding = HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT;
  std::atomic<bool> frozen{false};

  mutable std::shared_mutex mutex; // guards what follows
  std::deque<LoadedObject> objects;
  struct Definition {
    std::string name;
    LoadedSymbol symbol;
  };
  std::deque<Definition> definitions;
  using Names = std::unordered_map<std::string_view, const LoadedSymbol*>;
  std::unordered_map<const Agent*, Names> names; // null: program symbols

  // A kernel is found by its own name too.
  const LoadedSymbol* find(const Agent* agent, std::string_view name) const;
  const LoadedSymbol* exactly(const Agent* agent, std::string_view name) const;
  std::vector<const LoadedSymbol*> symbols() const; // program symbols first
};

class Loader {
public:
  explicit Loader(CodeRegistry& registry) : registry_(registry) {}
  ~Loader();

  hsa_code_object_reader_t add_reader(std::shared_ptr<CodeSource>);
  std::shared_ptr<CodeSource> reader(hsa_code_object_reader_t) const;
  bool destroy_reader(hsa_code_object_reader_t);

  hsa_code_object_t add_code_object(std::shared_ptr<CodeSource>); // with bytes of its own
  std::shared_ptr<CodeSource> code_object(hsa_code_object_t) const;
  bool destroy_code_object(hsa_code_object_t);
  // All symbols of one; false if it is damaged.
  bool symbols_of(CodeSource&, std::span<const LoadedSymbol>& symbols);
  // A symbol of one of them, which stays while it is held; null if it is none.
  std::shared_ptr<const LoadedSymbol> code_symbol(hsa_code_symbol_t) const;

  hsa_executable_t create(hsa_profile_t, hsa_default_float_rounding_mode_t);
  std::shared_ptr<Executable> executable(hsa_executable_t) const;
  std::vector<hsa_executable_t> executables() const;
  bool destroy(hsa_executable_t);
  hsa_status_t load(Runtime&, Executable&, Agent&, CodeSource&, LoadedObject*& loaded);
  hsa_status_t define(Executable&, Agent*, std::string_view name, void* address, hsa_variable_segment_t);
  hsa_status_t freeze(Executable&);

  // Null if it is none.
  std::shared_ptr<const LoadedSymbol> symbol(hsa_executable_symbol_t) const;
  std::shared_ptr<const LoadedObject> loaded_object(hsa_loaded_code_object_t) const;

private:
  void remember(std::span<LoadedSymbol>, std::weak_ptr<const void> owner); // gives them handles
  void forget(std::span<const LoadedSymbol>);
  std::shared_ptr<const LoadedSymbol> known(uint64_t handle) const;

  CodeRegistry& registry_;
  Probing probing_;
  mutable std::shared_mutex mutex_; // guards what follows
  // Handles of readers and executables are never used again.
  std::unordered_map<uint64_t, std::shared_ptr<CodeSource>> readers_, code_objects_;
  std::map<uint64_t, std::shared_ptr<Executable>> executables_;
  struct Symbols {
    std::span<const LoadedSymbol> symbols; // their handles follow each other
    std::weak_ptr<const void> owner;       // executable or code object
  };
  std::map<uint64_t, Symbols> symbols_; // live ones, by the first handle
};

// Whether code for `target` ("gfx906:sramecc+") runs on the agent whose ISA is named; what a target does not mention
// fits both.
bool fits(std::string_view target, std::string_view agent_isa);

} // namespace crosslane::hsa

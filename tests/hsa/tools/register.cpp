// In place of librocprofiler-register.so.0: notes what it is told, and answers what REGISTER_ANSWER says.
#include <cstdint>
#include <cstdlib>

extern "C" [[gnu::visibility("default")]] int rocprofiler_register_library_api_table(const char* library,
                                                                                     uint32_t (*import)(),
                                                                                     uint32_t version, void** tables,
                                                                                     uint64_t count, uint64_t* id);
extern "C" [[gnu::visibility("default")]] void* registered_table;
void* registered_table = nullptr;

int rocprofiler_register_library_api_table(const char* library, uint32_t (*import)(), uint32_t version, void** tables,
                                           uint64_t count, uint64_t* id) {
  const bool good = library[0] == 'h' && library[1] == 's' && library[2] == 'a' && !library[3] && import() == version &&
                    count == 1 && id;
  registered_table = good ? *tables : nullptr;
  const char* answer = std::getenv("REGISTER_ANSWER");
  return answer ? std::atoi(answer) : 0;
}

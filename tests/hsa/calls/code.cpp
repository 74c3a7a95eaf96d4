// Rows: code objects, executables, symbols.
#include "tests/hsa/calls/calls.h"
#include <cstdlib>

namespace crosslane::test::calls {

namespace {

const std::vector<uint8_t>& code(Chooser& c) { return c.world.code[c.random() ? c.below(c.world.code.size()) : 0]; }
hsa_executable_symbol_t symbol(Chooser& c) { return {c.handle(Kind::symbol)}; }
hsa_code_object_t code_object(Chooser& c) { return {c.handle(Kind::code_object)}; }
hsa_executable_t fresh() { // one that nobody has frozen
  hsa_executable_t e{};
  hsa_executable_create_alt(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, nullptr, &e);
  return e;
}
// For good calls an executable of its own, which is destroyed; else one of all.
struct Target {
  Chooser& c;
  hsa_executable_t own{}, used;
  explicit Target(Chooser& chooser) : c(chooser) {
    used = c.executable();
    if (!c.random() && int(c.draws.size()) - 1 != c.spoil_at)
      used = own = fresh();
  }
  ~Target() {
    if (own.handle)
      hsa_executable_destroy(own);
  }
};
template <class... T> hsa_status_t each(T...) { return HSA_STATUS_SUCCESS; }
const char* name(Chooser& c) { return c.value("plain.kd", {"", "none", "plain.kd.kd"}); }
hsa_agent_t first_gpu(Chooser& c) { return c.gpu(); }
// A symbol that lives as long as its executable; remembers it.
hsa_status_t remember(hsa_executable_t, hsa_executable_symbol_t s, void* world) {
  static_cast<World*>(world)->add(Kind::symbol, s.handle);
  return HSA_STATUS_SUCCESS;
}

} // namespace

BODY(hsa_code_object_reader_create_from_memory, HSA_STATUS_SUCCESS, false, hsa_code_object_reader_t x{};
     const auto& b = code(c);
     const hsa_status_t r = hsa_code_object_reader_create_from_memory(c.must(b.data()), c.value(b.size(), {size_t(0)}),
                                                                      c.must(&x));
     c.made(r, Kind::reader, x); return r;)
BODY(hsa_code_object_reader_create_from_file, HSA_STATUS_SUCCESS, false, hsa_code_object_reader_t x{};
     const hsa_status_t r = hsa_code_object_reader_create_from_file(c.value(c.world.code_file, {-1, 9999}), c.must(&x));
     c.made(r, Kind::reader, x); return r;)
CALL(hsa_code_object_reader_destroy, {c.take(Kind::reader)})
BODY(hsa_executable_create, HSA_STATUS_SUCCESS, false, hsa_executable_t e{};
     const hsa_status_t r = hsa_executable_create(c.value(HSA_PROFILE_FULL, {hsa_profile_t(4)}),
                                                  c.value(HSA_EXECUTABLE_STATE_UNFROZEN, {hsa_executable_state_t(4)}),
                                                  nullptr, c.must(&e));
     c.made(r, Kind::executable, e); return r;)
BODY(hsa_executable_create_alt, HSA_STATUS_SUCCESS, false, hsa_executable_t e{};
     const hsa_status_t r = hsa_executable_create_alt(c.value(HSA_PROFILE_FULL, {hsa_profile_t(4)}),
                                                      c.value(HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT,
                                                              {hsa_default_float_rounding_mode_t(9)}),
                                                      nullptr, c.must(&e));
     c.made(r, Kind::executable, e); return r;)
BODY(hsa_executable_destroy, HSA_STATUS_SUCCESS, true,
     return hsa_executable_destroy({c.take(c.random() && c.below(2) ? Kind::frozen : Kind::executable)});)
BODY(hsa_executable_load_agent_code_object, HSA_STATUS_SUCCESS, false, Target t(c); hsa_loaded_code_object_t l{};
     const hsa_status_t r = hsa_executable_load_agent_code_object(t.used, first_gpu(c), {c.handle(Kind::reader)},
                                                                  nullptr, c.may(&l));
     if (!t.own.handle && l.handle) c.made(r, Kind::loaded, l); return r;)
CALL_GIVES(hsa_executable_load_program_code_object, HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS, c.executable(),
           {c.handle(Kind::reader)}, nullptr, nullptr)
BODY(hsa_executable_load_code_object, HSA_STATUS_SUCCESS, false, Target t(c);
     return hsa_executable_load_code_object(t.used, first_gpu(c), code_object(c), nullptr);)
BODY(hsa_executable_freeze, HSA_STATUS_SUCCESS, false, Target t(c);
     const hsa_status_t r = hsa_executable_freeze(t.used, nullptr);
     if (!t.own.handle && r == HSA_STATUS_SUCCESS && c.world.take(Kind::executable, t.used.handle))
         c.world.add(Kind::frozen, t.used.handle);
     return r;)
CALL(hsa_executable_get_info, c.executable(), c.value(HSA_EXECUTABLE_INFO_STATE, {hsa_executable_info_t(44)}), c.out())
#define DEFINE(function, ...)                                                                                          \
  BODY(function, HSA_STATUS_SUCCESS, false, Target t(c);                                                               \
       return function(t.used, __VA_ARGS__ c.must(c.value(c.any({"some", "other"}), {""})), c.world.arena);)
#define NO_AGENT
DEFINE(hsa_executable_global_variable_define, NO_AGENT)
DEFINE(hsa_executable_agent_global_variable_define, c.gpu(), )
DEFINE(hsa_executable_readonly_variable_define, c.gpu(), )
BODY(hsa_executable_validate, HSA_STATUS_SUCCESS, false, uint32_t v;
     return hsa_executable_validate(c.executable(), c.must(&v));)
BODY(hsa_executable_validate_alt, HSA_STATUS_SUCCESS, false, uint32_t v;
     return hsa_executable_validate_alt(c.executable(), nullptr, c.must(&v));)
BODY(hsa_executable_get_symbol_by_name, HSA_STATUS_SUCCESS, false, hsa_executable_symbol_t s{}; hsa_agent_t a = c.gpu();
     const hsa_status_t r = hsa_executable_get_symbol_by_name(c.frozen(), c.must(name(c)), &a, c.must(&s));
     if (c.random()) c.made(r, Kind::symbol, s); return r;)
BODY(hsa_executable_get_symbol, HSA_STATUS_SUCCESS, false, hsa_executable_symbol_t s{};
     return hsa_executable_get_symbol(c.frozen(), nullptr, c.must(name(c)), c.gpu(), 0, c.must(&s));)
CALL(hsa_executable_symbol_get_info, symbol(c),
     hsa_executable_symbol_info_t(c.value(c.any<uint32_t>({0, 1, 2, 3, 4, 5, 22, 11, 12, 13}), {7777})), c.out())
CALL(hsa_executable_iterate_symbols, c.frozen(),
     c.must(c.random() && c.below(8) == 0 ? &remember : &each<hsa_executable_t, hsa_executable_symbol_t, void*>),
     &c.world)
CALL(hsa_executable_iterate_agent_symbols, c.frozen(), c.gpu(),
     c.must(&each<hsa_executable_t, hsa_agent_t, hsa_executable_symbol_t, void*>), nullptr)
CALL(hsa_executable_iterate_program_symbols, c.frozen(),
     c.must(&each<hsa_executable_t, hsa_executable_symbol_t, void*>), nullptr)

BODY(hsa_code_object_deserialize, HSA_STATUS_SUCCESS, false, hsa_code_object_t o{}; const auto& b = code(c);
     const hsa_status_t r = hsa_code_object_deserialize(c.must(const_cast<uint8_t*>(b.data())),
                                                        c.value(b.size(), {size_t(0)}), nullptr, c.must(&o));
     c.made(r, Kind::code_object, o); return r;)
BODY(
    hsa_code_object_serialize, HSA_STATUS_SUCCESS, false, void* p = nullptr; size_t n;
    const auto room =
        +[](size_t size, hsa_callback_data_t, void** address) {
          *address = std::malloc(size);
          return HSA_STATUS_SUCCESS;
        };
    const hsa_status_t r = hsa_code_object_serialize(code_object(c), c.must(room), {}, nullptr, c.must(&p), c.must(&n));
    std::free(p); return r;)
CALL(hsa_code_object_destroy, {c.take(Kind::code_object)})
CALL(hsa_code_object_get_info, code_object(c), hsa_code_object_info_t(c.value(uint32_t(c.below(6)), {44u})), c.out())
BODY(hsa_code_object_get_symbol, HSA_STATUS_SUCCESS, false, hsa_code_symbol_t s{};
     const hsa_status_t r = hsa_code_object_get_symbol(code_object(c), c.must(name(c)), c.must(&s));
     if (c.random()) c.made(r, Kind::code_symbol, s); return r;)
BODY(hsa_code_object_get_symbol_from_name, HSA_STATUS_SUCCESS, false, hsa_code_symbol_t s{};
     return hsa_code_object_get_symbol_from_name(code_object(c), nullptr, c.must(name(c)), c.must(&s));)
CALL(hsa_code_object_iterate_symbols, code_object(c), c.must(&each<hsa_code_object_t, hsa_code_symbol_t, void*>),
     nullptr)
CALL(hsa_code_symbol_get_info, {c.handle(Kind::code_symbol)},
     hsa_code_symbol_info_t(c.value(c.any<uint32_t>({0, 1, 2, 3, 4, 5, 11, 12}), {7777})), c.out())

} // namespace crosslane::test::calls

# The engine's hot code, and the views' loops over lanes, are compiled three times, once per x86-64 level, into namespaces of
# their own (CROSSLANE_LEVEL = v1, v3, v4); the level is chosen at run time.
set(CROSSLANE_LEVELS v1 v3 v4)
set(CROSSLANE_FLAGS_v1 -march=x86-64)
set(CROSSLANE_FLAGS_v3 -march=x86-64-v3)
# 512-bit registers on purpose: one GCN row of 16 lanes is one zmm. No vzeroupper between handlers.
set(CROSSLANE_FLAGS_v4 -march=x86-64-v4 -mprefer-vector-width=512 -mno-vzeroupper)

# The instruction sets that lanes/ distinguishes (lanes/level.h): its tests and its benchmark are compiled for each.
set(lanes_levels baseline avx2 avx512 avx512_vbmi avx512_vbmi2 avx512_gfni)
set(lanes_flags_baseline -march=x86-64)
set(lanes_flags_avx2 -march=x86-64-v3)
set(lanes_flags_avx512 -march=x86-64-v4 -mprefer-vector-width=512)
set(lanes_flags_avx512_vbmi ${lanes_flags_avx512} -mavx512vbmi)
set(lanes_flags_avx512_vbmi2 ${lanes_flags_avx512_vbmi} -mavx512vbmi2)
set(lanes_flags_avx512_gfni ${lanes_flags_avx512_vbmi2} -mgfni)

# crosslane_levels(NAME sources... [LINK libs...]): object libraries NAME_v1, _v3, _v4, gathered as NAME.
function(crosslane_levels name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  set(objects)
  foreach(level ${CROSSLANE_LEVELS})
    add_library(${name}_${level} OBJECT ${ARG_UNPARSED_ARGUMENTS})
    target_link_libraries(${name}_${level} PUBLIC crosslane_options ${ARG_LINK})
    target_compile_options(${name}_${level} PRIVATE ${CROSSLANE_FLAGS_${level}})
    target_compile_definitions(${name}_${level} PRIVATE CROSSLANE_LEVEL=${level} CROSSLANE_LEVEL_${level}=1)
    list(APPEND objects $<TARGET_OBJECTS:${name}_${level}>)
  endforeach()
  set(${name}_OBJECTS ${objects} PARENT_SCOPE)
endfunction()

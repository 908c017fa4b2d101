# SPDX-License-Identifier: MIT
# How the tool is linked, so that it starts fast: static libraries (static_tool.cmake), nothing that is not used, packed
# relocations, and what each start runs in one place. A start runs 440 functions of 380 KB. Spread over the tool's
# 9 MB they take 48 page faults, and in one place 10: a page fault maps 64 KiB, and took 22 us on a virtual machine.
# docs/embedding.md ("What starting costs") has what each gains.
#
# Sets the properties perfdata_tool_sources and perfdata_tool_links: what a program needs to be linked as the tool is, but
# for the order of its functions. perfdata_tool_links come behind our libraries.
include(CheckLinkerFlag)
set(options "")
set(sources "")
if(perfdata_static_tool)
  list(APPEND options -static-libstdc++ -static-libgcc -Wl,--as-needed)
  if(fmt_VERSION VERSION_LESS 11)  # others are linked as they are installed
    list(APPEND sources ${CMAKE_CURRENT_SOURCE_DIR}/tool/static_fmt.cpp)
  endif()
  include(CheckCXXSymbolExists)
  check_cxx_symbol_exists(__GLIBC__ features.h PERFDATA_HAS_GLIBC)
  if(PERFDATA_HAS_GLIBC AND perfdata_on_demand_libraries)
    list(APPEND sources ${CMAKE_CURRENT_SOURCE_DIR}/tool/on_demand/libm.cpp)
  endif()
endif()
check_linker_flag(CXX LINKER:--gc-sections PERFDATA_HAS_GC_SECTIONS)
if(PERFDATA_HAS_GC_SECTIONS)
  list(APPEND options -Wl,--gc-sections)
endif()
# They need the dynamic linker of glibc 2.36: packages may be for older ones.
if(perfdata_static_tool AND NOT CMAKE_CROSSCOMPILING)
  include(CheckCXXSourceRuns)
  include(CMakePushCheckState)
  cmake_push_check_state(RESET)
  set(CMAKE_REQUIRED_LINK_OPTIONS -Wl,-z,pack-relative-relocs -Wl,--fatal-warnings)
  check_cxx_source_runs("int main() { static const void* const self = &self; return self == nullptr; }"
    PERFDATA_HAS_PACKED_RELOCATIONS)
  cmake_pop_check_state()
  if(PERFDATA_HAS_PACKED_RELOCATIONS)
    list(APPEND options -Wl,-z,pack-relative-relocs)
  endif()
endif()

# tool/start_order.txt is made by scripts/start-order. A name that no function has any more does no harm.
set(script ${CMAKE_CURRENT_BINARY_DIR}/start_order.ld)
file(STRINGS ${CMAKE_CURRENT_SOURCE_DIR}/tool/start_order.txt names REGEX "^[^#]")
list(TRANSFORM names REPLACE "(.+)" "    *(.text.\\1)")
list(JOIN names "\n" names)
file(CONFIGURE OUTPUT ${script} @ONLY CONTENT
  "SECTIONS {\n  .text.start : {\n    *(.text.startup .text.startup.*)\n@names@\n  }\n} INSERT BEFORE .text;\n")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/tool/start_order.txt)
check_linker_flag(CXX "LINKER:-T,${script}" PERFDATA_HAS_START_ORDER)
if(PERFDATA_HAS_START_ORDER)
  target_link_options(perfdata_tool PRIVATE LINKER:-T,${script})
  set_property(TARGET perfdata_tool APPEND PROPERTY LINK_DEPENDS ${script})
endif()

target_link_options(perfdata_tool PRIVATE ${options})
target_sources(perfdata_tool PRIVATE ${sources})
target_link_libraries(perfdata_tool PRIVATE perfdata ${perfdata_static_archives})
set_property(GLOBAL PROPERTY perfdata_tool_links ${options} ${perfdata_static_archives})
set_property(GLOBAL PROPERTY perfdata_tool_sources ${sources})

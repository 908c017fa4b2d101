# SPDX-License-Identifier: MIT
# Libraries that the tool loads when it first needs them: annotate/tool/on_demand. Only the tool is linked in this way;
# perfdata_on_demand_libraries is the list of what it loads, by the names that the system finds them by.
set(perfdata_on_demand_libraries "")

# perfdata_on_demand(NAME SOURCE FILE...) lets the tool load lib<NAME>, which is one of the files, by the functions of
# annotate/tool/on_demand/<SOURCE>.cpp. It stays linked if it is no shared library.
function(perfdata_on_demand name source)
  set(file ${ARGN})
  list(FILTER file INCLUDE REGEX "/lib${name}\\.so$")
  if(NOT file OR NOT CMAKE_READELF)
    return()
  endif()
  execute_process(COMMAND ${CMAKE_READELF} -d ${file} OUTPUT_VARIABLE dynamic ERROR_QUIET)
  if(NOT dynamic MATCHES "\\(SONAME\\)[^[]*\\[([^]]+)\\]")
    return()
  endif()
  set(soname ${CMAKE_MATCH_1})
  string(TOUPPER ${name} upper)
  target_sources(perfdata_tool PRIVATE tool/on_demand/${source}.cpp)
  set_source_files_properties(tool/on_demand/${source}.cpp PROPERTIES COMPILE_DEFINITIONS PERFDATA_LIB${upper}="${soname}")
  set_property(GLOBAL APPEND PROPERTY perfdata_on_demand_sources ${CMAKE_CURRENT_SOURCE_DIR}/tool/on_demand/${source}.cpp)
  set_property(GLOBAL APPEND PROPERTY perfdata_on_demand_definitions PERFDATA_LIB${upper}="${soname}")
  list(APPEND perfdata_on_demand_libraries ${soname})
  set(perfdata_on_demand_libraries ${perfdata_on_demand_libraries} PARENT_SCOPE)
endfunction()

if(PERFDATA_ON_DEMAND)
  perfdata_on_demand(capstone capstone ${perfdata_capstone_LINK_LIBRARIES})
  perfdata_on_demand(bpf libbpf ${perfdata_libbpf_LINK_LIBRARIES})
  perfdata_on_demand(sodium libsodium ${perfdata_libsodium_LINK_LIBRARIES})
  if(PERFDATA_DWARF)
    perfdata_on_demand(dw libdw ${perfdata_libdw_LINK_LIBRARIES})
    perfdata_on_demand(elf libelf ${perfdata_libdw_LINK_LIBRARIES})
  endif()
endif()
if(perfdata_on_demand_libraries)
  target_sources(perfdata_tool PRIVATE tool/on_demand/on_demand.cpp)
  set_property(GLOBAL APPEND PROPERTY perfdata_on_demand_sources ${CMAKE_CURRENT_SOURCE_DIR}/tool/on_demand/on_demand.cpp)
  # What the functions above stand for stays away.
  target_link_options(perfdata_tool PRIVATE LINKER:--as-needed)
endif()
set_property(GLOBAL PROPERTY perfdata_on_demand_libraries ${perfdata_on_demand_libraries})

# SPDX-License-Identifier: MIT
# Flags that belong to this project's own targets only: a parent project's targets are left alone.

# perfdata_target(NAME) sets what every target of this project has.
function(perfdata_target name)
  target_compile_features(${name} PUBLIC cxx_std_23)
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
  target_compile_options(${name} PRIVATE -Wall -Wextra -Wconversion -Wshadow)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(${name} PRIVATE -Wno-restrict)  # false alarms on "text" + std::string (GCC bug 105651)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    target_compile_options(${name} PRIVATE -Wno-deprecated-declarations)  # libstdc++ 12's stable_sort uses its own
  endif()
  if(PERFDATA_WERROR)
    target_compile_options(${name} PRIVATE -Werror)
  endif()
endfunction()

# perfdata_precompile(NAME [HEADER...]) has the headers that nearly all of its files need parsed once.
function(perfdata_precompile name)
  if(PERFDATA_PRECOMPILE)
    target_precompile_headers(${name} PRIVATE
      <algorithm> <array> <bit> <charconv> <cstdint> <expected> <filesystem> <functional> <map> <memory> <mutex>
      <optional> <set> <span> <stop_token> <string> <string_view> <thread> <tuple> <unordered_map> <utility> <vector>
      ${ARGN})
  endif()
endfunction()

# perfdata_together(NAME) has the files of a library compiled a few at a time, for builds that are made once.
function(perfdata_together name)
  if(PERFDATA_UNITY)
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
    # Of what is in another file; and GCC takes the first of the files for a header of the others.
    target_compile_options(${name} PRIVATE -Wno-shadow $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()
endfunction()

# SPDX-License-Identifier: MIT
# Flags that belong to this project's own targets only: a parent project's targets are left alone.

# perfdata_target(NAME) sets what every target of this project has.
function(perfdata_target name)
  target_compile_features(${name} PUBLIC cxx_std_23)
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  # Linkers can leave out what nobody calls, and put together what runs together: see tool_layout.cmake.
  target_compile_options(${name} PRIVATE -Wall -Wextra -Wconversion -Wshadow -ffunction-sections)
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

# perfdata_together_by_folder(NAME) is the same for a program of which some builds leave folders out: files that are
# compiled together stay so, and a compiler cache knows them. Call it after the last file was added.
function(perfdata_together_by_folder name)
  perfdata_together(${name})
  set_target_properties(${name} PROPERTIES UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${name} SOURCES)
  set(folders "")
  foreach(source IN LISTS sources)
    cmake_path(GET source PARENT_PATH folder)
    string(MAKE_C_IDENTIFIER "${folder}" folder)
    list(APPEND folders ${folder})
    list(APPEND in_${folder} ${source})
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(folder IN LISTS folders)
    set(count 0)
    foreach(source IN LISTS in_${folder})
      math(EXPR batch "${count} / 8")
      math(EXPR count "${count} + 1")
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder}_${batch})
    endforeach()
  endforeach()
endfunction()

# perfdata_library(STATIC NAME) makes the shared library STATIC_shared of the files of the static one, which are compiled
# once, and perfdata::NAME of the one that is wanted.
function(perfdata_library static name)
  set(offered ${static})
  if(PERFDATA_SHARED)
    add_library(${static}_shared SHARED $<TARGET_OBJECTS:${static}>)
    set_target_properties(${static}_shared PROPERTIES OUTPUT_NAME ${static} LINKER_LANGUAGE CXX
      VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
    target_compile_features(${static}_shared PUBLIC cxx_std_23)
    # What is in a static library of others is not offered, and nothing that is missing goes unnoticed.
    target_link_options(${static}_shared PRIVATE LINKER:--exclude-libs,ALL)
    if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
      target_link_options(${static}_shared PRIVATE LINKER:-z,defs)
    endif()
    if(BUILD_SHARED_LIBS OR NOT PERFDATA_STATIC)
      set(offered ${static}_shared)
    endif()
  endif()
  add_library(perfdata::${name} ALIAS ${offered})
endfunction()

# perfdata_links(STATIC ARGUMENT...) is target_link_libraries of a library in both of its kinds.
function(perfdata_links static)
  target_link_libraries(${static} ${ARGN})
  if(TARGET ${static}_shared)
    # One of ours is linked with the other's kind.
    list(TRANSFORM ARGN REPLACE "^perfdata$" "perfdata_shared")
    target_link_libraries(${static}_shared ${ARGN})
  endif()
endfunction()

# SPDX-License-Identifier: MIT
# PERFDATA_STATIC_TOOL: what the dynamic linker does at each start of the tool is done once, when it is built. That takes
# a third of the time of `perfdata info` away: docs/embedding.md ("What starting costs") has the figures.
# glibc stays shared, since a static one cannot load libraries; and so does what is loaded on demand. Our libraries are
# linked as ever.
#
# Sets perfdata_static_tool, which is on if all archives are there, and perfdata_static_archives: link them behind our
# libraries. What is in them is then not looked for in shared libraries, which come behind.
set(perfdata_static_tool OFF)
set(perfdata_static_archives "")
if(NOT PERFDATA_STATIC_TOOL)
  return()
endif()
# Beside the shared libraries that were found: those of another version may be elsewhere.
get_target_property(boost_file Boost::iostreams LOCATION)
list(GET perfdata_libzstd_LINK_LIBRARIES 0 zstd_file)
set(wanted boost_iostreams zstd)
if(PERFDATA_LIBDEFLATE)
  list(GET perfdata_libdeflate_LINK_LIBRARIES 0 deflate_file)
  list(APPEND wanted deflate)
endif()
foreach(library ${wanted})
  string(REGEX REPLACE "_.*" "" package ${library})
  cmake_path(GET ${package}_file PARENT_PATH folder)
  find_library(perfdata_lib${library}_archive lib${library}.a PATHS ${folder} NO_DEFAULT_PATH)
endforeach()
find_library(perfdata_libz_archive libz.a)
find_library(perfdata_liblzma_archive liblzma.a)
# Seldom needed: it may stay shared.
if(NOT perfdata_libdeflate_archive)
  list(REMOVE_ITEM wanted deflate)
endif()
set(missing "")
foreach(library ${wanted} z lzma)
  mark_as_advanced(perfdata_lib${library}_archive)
  if(perfdata_lib${library}_archive)
    list(APPEND perfdata_static_archives ${perfdata_lib${library}_archive})
  else()
    string(APPEND missing " lib${library}.a")
  endif()
endforeach()
# Archives may be made for other kinds of programs.
if(NOT perfdata_static_tried STREQUAL "${perfdata_static_archives}")
  unset(PERFDATA_HAS_STATIC_LIBRARIES CACHE)
  set(perfdata_static_tried "${perfdata_static_archives}" CACHE INTERNAL "archives that were tried")
endif()
if(NOT missing)
  include(CheckCXXSourceCompiles)
  include(CMakePushCheckState)
  cmake_push_check_state(RESET)
  set(CMAKE_REQUIRED_LIBRARIES ${perfdata_static_archives} Boost::boost)
  set(CMAKE_REQUIRED_LINK_OPTIONS -static-libstdc++ -static-libgcc)
  set(CMAKE_REQUIRED_QUIET ON)
  if(deflate IN_LIST wanted)
    set(CMAKE_REQUIRED_DEFINITIONS -DWITH_LIBDEFLATE)
  endif()
  check_cxx_source_compiles([[
    #include <boost/iostreams/filter/zlib.hpp>
    #include <iostream>
    extern "C" const char* ZSTD_versionString();
    extern "C" const char* zlibVersion();
    extern "C" const char* lzma_version_string();
    extern "C" void* libdeflate_alloc_decompressor();
    int main() {
    #ifdef WITH_LIBDEFLATE
        std::cout << libdeflate_alloc_decompressor();
    #endif
        std::cout << ZSTD_versionString() << zlibVersion() << lzma_version_string() << boost::iostreams::zlib::okay;
    }
    ]] PERFDATA_HAS_STATIC_LIBRARIES)
  cmake_pop_check_state()
  if(NOT PERFDATA_HAS_STATIC_LIBRARIES)
    set(missing " program with ${perfdata_static_archives} and libstdc++.a")
  endif()
endif()
if(missing)
  message(STATUS "The tool is linked with shared libraries, and starts slower: there is no${missing}")
  set(perfdata_static_archives "")
  return()
endif()
set(perfdata_static_tool ON)

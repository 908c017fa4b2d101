# SPDX-License-Identifier: MIT
# Every dependency is a Debian 12 package; the README says what each is for. Names of their targets and variables begin
# with ours, where they are not those that everybody uses: a parent project may look for the same.
find_package(Threads REQUIRED)
if(POLICY CMP0167)
  cmake_policy(SET CMP0167 NEW)  # CMake's own FindBoost is gone; Boost has a description itself
endif()
find_package(Boost 1.74 REQUIRED COMPONENTS iostreams)
find_package(PkgConfig REQUIRED)

# What pkg-config knows of what each library needs: for those who use it installed.
set(perfdata_modules libzstd>=1.4 libbpf>=1.1 libsodium>=1.0.18)
set(perfdata_annotate_modules capstone>=4.0)
pkg_check_modules(perfdata_libzstd REQUIRED IMPORTED_TARGET GLOBAL libzstd>=1.4)
# Hashes of the members of bundles.
pkg_check_modules(perfdata_libsodium REQUIRED IMPORTED_TARGET GLOBAL libsodium>=1.0.18)
pkg_check_modules(perfdata_libbpf REQUIRED IMPORTED_TARGET GLOBAL libbpf>=1.1)

# Reads the index of bundles, and writes JSON.
find_package(RapidJSON REQUIRED)

# Profile files, and exports for pprof: headers alone.
find_path(perfdata_protozero_include protozero/pbf_writer.hpp REQUIRED)

# Readable names of C++ and Rust. It has no description for pkg-config.
find_path(perfdata_libiberty_include libiberty/demangle.h REQUIRED)
find_library(perfdata_libiberty_library iberty REQUIRED)
mark_as_advanced(perfdata_libiberty_include perfdata_libiberty_library)
add_library(perfdata_libiberty UNKNOWN IMPORTED GLOBAL)
set_target_properties(perfdata_libiberty PROPERTIES IMPORTED_LOCATION ${perfdata_libiberty_library}
  INTERFACE_INCLUDE_DIRECTORIES ${perfdata_libiberty_include})

# Source lines of ELF files.
pkg_check_modules(perfdata_libdw IMPORTED_TARGET GLOBAL libdw>=0.188)
option(PERFDATA_DWARF "Read lines and inlined calls of ELF files with libdw" ${perfdata_libdw_FOUND})
if(PERFDATA_DWARF AND NOT perfdata_libdw_FOUND)
  message(FATAL_ERROR "PERFDATA_DWARF needs libdw 0.188 or newer (Debian: libdw-dev)")
elseif(PERFDATA_DWARF)
  list(APPEND perfdata_modules libdw>=0.188)
endif()

# Debug sections that zlib packed.
pkg_check_modules(perfdata_libdeflate IMPORTED_TARGET GLOBAL libdeflate>=1.14)
option(PERFDATA_LIBDEFLATE "Unpack debug sections faster, with libdeflate" ${perfdata_libdeflate_FOUND})
if(PERFDATA_LIBDEFLATE AND NOT perfdata_libdeflate_FOUND)
  message(FATAL_ERROR "PERFDATA_LIBDEFLATE needs libdeflate 1.14 or newer (Debian: libdeflate-dev)")
elseif(PERFDATA_LIBDEFLATE)
  list(APPEND perfdata_modules libdeflate>=1.14)
endif()

# Build-id caches that `perf archive` packed.
pkg_check_modules(perfdata_libarchive libarchive>=3.6)
option(PERFDATA_ARCHIVES "Look for files in what perf archive packs, with libarchive" ${perfdata_libarchive_FOUND})
if(PERFDATA_ARCHIVES AND NOT perfdata_libarchive_FOUND)
  message(FATAL_ERROR "PERFDATA_ARCHIVES needs libarchive 3.6 or newer (Debian: libarchive-dev)")
elseif(PERFDATA_ARCHIVES)
  # What programs that are linked with it ask the system for: it is loaded by this name. The link's own name has more.
  find_library(perfdata_libarchive_file archive REQUIRED HINTS ${perfdata_libarchive_LIBRARY_DIRS})
  mark_as_advanced(perfdata_libarchive_file)
  file(REAL_PATH ${perfdata_libarchive_file} perfdata_libarchive_name)
  cmake_path(GET perfdata_libarchive_name FILENAME perfdata_libarchive_name)
  string(REGEX MATCH "^libarchive\\.so\\.[0-9]+" perfdata_libarchive_name "${perfdata_libarchive_name}")
  if(NOT perfdata_libarchive_name)
    message(FATAL_ERROR "PERFDATA_ARCHIVES needs libarchive as a shared library: ${perfdata_libarchive_file} is none")
  endif()
endif()

if(PERFDATA_ANNOTATE)
  pkg_check_modules(perfdata_capstone REQUIRED IMPORTED_TARGET GLOBAL capstone>=4.0)
  find_package(fmt REQUIRED)
endif()
if(PERFDATA_TOOL)
  find_package(CLI11 REQUIRED)
endif()
include(${CMAKE_CURRENT_LIST_DIR}/static_tool.cmake)

# SPDX-License-Identifier: MIT
# Every dependency is a Debian 12 package; the README says what each is for.
find_package(Threads REQUIRED)
find_package(Boost 1.74 REQUIRED COMPONENTS iostreams)
find_package(PkgConfig REQUIRED)
pkg_check_modules(libzstd REQUIRED IMPORTED_TARGET GLOBAL libzstd>=1.4)
pkg_check_modules(libbpf REQUIRED IMPORTED_TARGET GLOBAL libbpf>=1.1)

# Readable names of C++ and Rust. It has no description for pkg-config.
find_path(libiberty_include libiberty/demangle.h REQUIRED)
find_library(libiberty_library iberty REQUIRED)
add_library(libiberty UNKNOWN IMPORTED GLOBAL)
set_target_properties(libiberty PROPERTIES IMPORTED_LOCATION ${libiberty_library}
  INTERFACE_INCLUDE_DIRECTORIES ${libiberty_include})

# Source lines of ELF files.
pkg_check_modules(libdw IMPORTED_TARGET GLOBAL libdw>=0.188)
option(PERFDATA_DWARF "Read lines and inlined calls of ELF files with libdw" ${libdw_FOUND})
if(PERFDATA_DWARF AND NOT libdw_FOUND)
  message(FATAL_ERROR "PERFDATA_DWARF needs libdw 0.188 or newer (Debian: libdw-dev)")
endif()

# Build-id caches that `perf archive` packed.
pkg_check_modules(libarchive IMPORTED_TARGET GLOBAL libarchive>=3.6)
option(PERFDATA_ARCHIVES "Look for files in what perf archive packs, with libarchive" ${libarchive_FOUND})
if(PERFDATA_ARCHIVES AND NOT libarchive_FOUND)
  message(FATAL_ERROR "PERFDATA_ARCHIVES needs libarchive 3.6 or newer (Debian: libarchive-dev)")
endif()

if(PERFDATA_TOOL)
  pkg_check_modules(capstone REQUIRED IMPORTED_TARGET GLOBAL capstone>=4.0)
  find_package(fmt REQUIRED)
  find_package(CLI11 REQUIRED)
  find_package(RapidJSON REQUIRED)
endif()

# SPDX-License-Identifier: MIT
# PERFDATA_STATIC_TOOL: what the dynamic linker does at each start of the tool is done once, when it is built. Measured on
# `perfdata info`: 0.8 of 2.5 ms, and 1.2 of 7.9 MiB. What others link is then static as well, so it is for builds of the tool alone.
# glibc stays shared, since a static one cannot load libraries; and so does what is loaded on demand.
if(PERFDATA_SHARED)
  message(FATAL_ERROR "PERFDATA_STATIC_TOOL is for builds of the tool: shared libraries of ours are linked with shared ones")
endif()
# Boost's archive does not say what it needs.
find_library(perfdata_libz_archive libz.a REQUIRED)
find_library(perfdata_liblzma_archive liblzma.a REQUIRED)
find_library(perfdata_libzstd_archive libzstd.a REQUIRED)
mark_as_advanced(perfdata_libz_archive perfdata_liblzma_archive perfdata_libzstd_archive)
set_property(TARGET Boost::iostreams APPEND PROPERTY INTERFACE_LINK_LIBRARIES
  ${perfdata_libz_archive} ${perfdata_liblzma_archive} Threads::Threads)
set_property(TARGET PkgConfig::perfdata_libzstd PROPERTY INTERFACE_LINK_LIBRARIES ${perfdata_libzstd_archive})

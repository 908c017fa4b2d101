# SPDX-License-Identifier: MIT
# What the build is made of, as an SPDX document: build/perfdata.spdx.json. SOURCE_DATE_EPOCH sets its date.
set(perfdata_spdx_packages "")
set(perfdata_spdx_relationships "")

# perfdata_uses(NAME LICENCE HOW): HOW is STATIC_LINK (or its headers are compiled), DYNAMIC_LINK, or OPTIONAL_DEPENDENCY_OF
# for what is loaded when it is needed.
function(perfdata_uses name licence how)
  string(APPEND perfdata_spdx_packages ",
    {
      \"SPDXID\": \"SPDXRef-${name}\", \"name\": \"${name}\", \"downloadLocation\": \"NOASSERTION\", \"filesAnalyzed\": false,
      \"licenseConcluded\": \"${licence}\", \"licenseDeclared\": \"${licence}\", \"copyrightText\": \"NOASSERTION\"
    }")
  set(from perfdata)
  set(to ${name})
  if(how STREQUAL "OPTIONAL_DEPENDENCY_OF")
    set(from ${name})
    set(to perfdata)
  endif()
  string(APPEND perfdata_spdx_relationships ",
    {\"spdxElementId\": \"SPDXRef-${from}\", \"relationshipType\": \"${how}\", \"relatedSpdxElement\": \"SPDXRef-${to}\"}")
  set(perfdata_spdx_packages "${perfdata_spdx_packages}" PARENT_SCOPE)
  set(perfdata_spdx_relationships "${perfdata_spdx_relationships}" PARENT_SCOPE)
endfunction()

set(perfdata_mostly DYNAMIC_LINK)
if(perfdata_static_tool AND NOT PERFDATA_SHARED)
  set(perfdata_mostly STATIC_LINK)
  perfdata_uses(libstdcxx "GPL-3.0-or-later WITH GCC-exception-3.1" STATIC_LINK)
  perfdata_uses(zlib Zlib STATIC_LINK)
  perfdata_uses(liblzma NOASSERTION STATIC_LINK)  # in the public domain, or 0BSD
endif()
if(PERFDATA_LIBRARY)
  perfdata_uses(boost-iostreams BSL-1.0 ${perfdata_mostly})
  perfdata_uses(zstd "BSD-3-Clause OR GPL-2.0-only" ${perfdata_mostly})
  if(PERFDATA_LIBDEFLATE)
    perfdata_uses(libdeflate MIT ${perfdata_mostly})
  endif()
  perfdata_uses(libbpf "LGPL-2.1-only OR BSD-2-Clause" DYNAMIC_LINK)
  perfdata_uses(libsodium ISC DYNAMIC_LINK)
  perfdata_uses(rapidjson MIT STATIC_LINK)
  perfdata_uses(protozero BSD-2-Clause STATIC_LINK)
  perfdata_uses(libiberty LGPL-2.1-or-later STATIC_LINK)
  if(PERFDATA_DWARF)
    perfdata_uses(elfutils "GPL-2.0-or-later OR LGPL-3.0-or-later" DYNAMIC_LINK)
  endif()
  if(PERFDATA_ARCHIVES)
    perfdata_uses(libarchive BSD-2-Clause OPTIONAL_DEPENDENCY_OF)
  endif()
endif()
if(TARGET perfdata_annotate)
  perfdata_uses(capstone BSD-3-Clause DYNAMIC_LINK)
  if(fmt_VERSION VERSION_LESS 11)  # see tool_layout.cmake
    perfdata_uses(fmt MIT ${perfdata_mostly})
  else()
    perfdata_uses(fmt MIT DYNAMIC_LINK)
  endif()
endif()
if(TARGET perfdata_tool)
  perfdata_uses(cli11 BSD-3-Clause STATIC_LINK)
endif()
string(TIMESTAMP perfdata_spdx_created "%Y-%m-%dT%H:%M:%SZ" UTC)
configure_file(${PROJECT_SOURCE_DIR}/cmake/perfdata.spdx.json.in ${PROJECT_BINARY_DIR}/perfdata.spdx.json @ONLY)

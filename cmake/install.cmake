# SPDX-License-Identifier: MIT
# What is installed, by component. docs/embedding.md says what each is for.
#   core      headers that depend on nothing, and how CMake and pkg-config find them
#   dev       the other headers, and how pkg-config finds the libraries
#   shared    what linking shared libraries needs besides; static: static libraries
#   perfdata, annotate  the shared libraries themselves
#   c         the C API: headers, the shared library, and how it is found
#   tool      the perfdata tool
set(perfdata_cmake ${CMAKE_INSTALL_LIBDIR}/cmake/perfdata)
set(perfdata_pkgconfig ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# perfdata_install_headers(COMPONENT NAME...) installs folders and files of include/perfdata.
function(perfdata_install_headers component)
  foreach(name IN LISTS ARGN)
    set(from ${PROJECT_SOURCE_DIR}/include/perfdata/${name})
    if(IS_DIRECTORY ${from})
      install(DIRECTORY ${from} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/perfdata COMPONENT ${component})
    else()
      install(FILES ${from} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/perfdata COMPONENT ${component})
    endif()
  endforeach()
endfunction()

# perfdata_install_description(COMPONENT NAME) makes a description for pkg-config of NAME.pc.in. It finds its prefix by
# where it lies itself.
function(perfdata_install_description component name)
  file(RELATIVE_PATH perfdata_up /${perfdata_pkgconfig} /)
  string(REGEX REPLACE "/$" "" perfdata_up "${perfdata_up}")
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${perfdata_pkgconfig} COMPONENT ${component})
endfunction()

# perfdata_install_library(TARGET NAME) installs a library in the kinds that are offered.
function(perfdata_install_library target name)
  if(PERFDATA_STATIC)
    set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
    install(TARGETS ${target} EXPORT perfdata-${name}-static
      ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT static)
    install(EXPORT perfdata-${name}-static NAMESPACE perfdata:: DESTINATION ${perfdata_cmake} COMPONENT static)
  endif()
  if(PERFDATA_SHARED)
    set_target_properties(${target}_shared PROPERTIES EXPORT_NAME ${name})
    install(TARGETS ${target}_shared EXPORT perfdata-${name}-shared
      LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${name} NAMELINK_COMPONENT shared)
    install(EXPORT perfdata-${name}-shared NAMESPACE perfdata:: DESTINATION ${perfdata_cmake} COMPONENT shared)
  endif()
endfunction()

set_target_properties(perfdata_core PROPERTIES EXPORT_NAME core)
perfdata_install_headers(core core wire core.hpp wire.hpp version.hpp)
perfdata_install_description(core perfdata-core)
install(TARGETS perfdata_core EXPORT perfdata-core COMPONENT core)
install(EXPORT perfdata-core NAMESPACE perfdata:: DESTINATION ${perfdata_cmake} COMPONENT core)
include(CMakePackageConfigHelpers)
configure_file(${PROJECT_SOURCE_DIR}/cmake/perfdata-config.cmake.in ${PROJECT_BINARY_DIR}/perfdata-config.cmake @ONLY)
# Until 1.0 each minor version may break programs.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/perfdata-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/perfdata-config.cmake ${PROJECT_BINARY_DIR}/perfdata-config-version.cmake
  DESTINATION ${perfdata_cmake} COMPONENT core)

if(PERFDATA_LIBRARY)
  # In a shared library all that it needs is linked already.
  list(JOIN perfdata_modules ", " perfdata_needs)
  string(REGEX REPLACE ">=" " >= " perfdata_needs "${perfdata_needs}")
  list(JOIN perfdata_annotate_modules ", " perfdata_annotate_needs)
  string(REGEX REPLACE ">=" " >= " perfdata_annotate_needs "${perfdata_annotate_needs}")
  set(perfdata_private .private)
  if(NOT PERFDATA_SHARED)
    set(perfdata_private "")
  endif()

  perfdata_install_headers(dev recording timeline symbols profile recording.hpp timeline.hpp symbols.hpp profile.hpp
    perfdata.hpp build_info.hpp)
  perfdata_install_description(dev perfdata)
  perfdata_install_library(perfdata perfdata)
endif()
if(TARGET perfdata_annotate)
  perfdata_install_headers(dev annotate annotate.hpp)
  perfdata_install_description(dev perfdata-annotate)
  perfdata_install_library(perfdata_annotate annotate)
endif()
if(TARGET perfdata_c)
  # All that a program in C needs of the shared library is one component.
  install(FILES ${PROJECT_SOURCE_DIR}/include/perfdata/perfdata.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/perfdata
    COMPONENT c)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/perfdata/c DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/perfdata
    COMPONENT c)
  # What a static library needs besides; nothing asks for it where the shared one is linked.
  set(perfdata_c_needs "-lperfdata_annotate -lperfdata -lboost_iostreams -liberty")
  foreach(module ${perfdata_modules} ${perfdata_annotate_modules})
    string(REGEX REPLACE "^(lib)?([a-z]+).*" "-l\\2" library ${module})
    string(APPEND perfdata_c_needs " ${library}")
  endforeach()
  if(PERFDATA_DWARF)
    string(APPEND perfdata_c_needs " -lelf")  # libdw's description has it as a requirement
  endif()
  string(APPEND perfdata_c_needs " -lfmt -lstdc++ -lm -ldl -pthread")
  perfdata_install_description(c perfdata-c)
  if(PERFDATA_STATIC)
    install(TARGETS perfdata_c EXPORT perfdata-c-static
      ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT static)
    install(EXPORT perfdata-c-static NAMESPACE perfdata:: DESTINATION ${perfdata_cmake} COMPONENT static)
  endif()
  if(TARGET perfdata_c_shared)
    install(TARGETS perfdata_c_shared EXPORT perfdata-c-shared
      LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT c)
    install(EXPORT perfdata-c-shared NAMESPACE perfdata:: DESTINATION ${perfdata_cmake} COMPONENT c)
  endif()
endif()
if(TARGET perfdata_tool)
  install(TARGETS perfdata_tool RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tool)
  include(${PROJECT_SOURCE_DIR}/cmake/spdx.cmake)
  install(FILES ${PROJECT_BINARY_DIR}/perfdata.spdx.json ${PROJECT_SOURCE_DIR}/LICENSE
    DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT tool)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/schema DESTINATION ${CMAKE_INSTALL_DATADIR}/perfdata COMPONENT tool
    FILES_MATCHING PATTERN "*.schema.json")
  if(TARGET perfdata_manual)  # they are not there if the tool alone was built
    install(DIRECTORY ${PROJECT_BINARY_DIR}/share/man/ DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT tool OPTIONAL)
    foreach(folder bash-completion zsh fish)
      install(DIRECTORY ${PROJECT_BINARY_DIR}/share/${folder} DESTINATION ${CMAKE_INSTALL_DATADIR} COMPONENT tool OPTIONAL)
    endforeach()
  endif()
endif()

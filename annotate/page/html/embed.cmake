# SPDX-License-Identifier: MIT
# cmake -D STYLE=page.css -D SCRIPT=page.js -D OUTPUT=assets.cpp -P embed.cmake: both files as C++ text, and the hash by
# which the page's policy admits the script.
cmake_minimum_required(VERSION 3.25)

# hex_to_base64(HEX OUT): three bytes are four letters.
function(hex_to_base64 hex out)
  set(letters ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/)
  set(result "")
  string(LENGTH "${hex}" length)
  math(EXPR last "${length} - 1")
  foreach(at RANGE 0 ${last} 6)
    string(SUBSTRING "${hex}000000" ${at} 6 part)
    foreach(shift 18 12 6 0)
      math(EXPR bit "${at} * 4 + 18 - ${shift}")
      math(EXPR bits "${length} * 4")
      if(bit GREATER_EQUAL bits)
        string(APPEND result "=")
      else()
        math(EXPR letter "(0x${part} >> ${shift}) & 63")
        string(SUBSTRING "${letters}" ${letter} 1 letter)
        string(APPEND result "${letter}")
      endif()
    endforeach()
  endforeach()
  set(${out} "${result}" PARENT_SCOPE)
endfunction()

# text(FILE OUT) is a C++ array of bytes.
function(text file out)
  file(READ "${file}" hex HEX)
  string(REPEAT "[0-9a-f]" 32 line)
  string(REGEX REPLACE "(${line})" "\\1\n" hex "${hex}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${hex}")
  set(${out} "${bytes}" PARENT_SCOPE)
endfunction()

file(SHA256 "${SCRIPT}" hash)
hex_to_base64("${hash}" hash)
text("${STYLE}" style)
text("${SCRIPT}" script)
file(WRITE "${OUTPUT}" "// Made of page.css and page.js.
#include <string_view>

namespace perfdata {
extern const std::string_view html_style, html_script, html_script_hash;
namespace {
constexpr char style[] = {${style}};
constexpr char script[] = {${script}};
}  // namespace
const std::string_view html_style(style, sizeof style);
const std::string_view html_script(script, sizeof script);
const std::string_view html_script_hash = \"sha256-${hash}\";
}  // namespace perfdata
")

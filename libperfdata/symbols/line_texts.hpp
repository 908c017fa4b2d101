// SPDX-License-Identifier: MIT
// Texts of source lines: lines of source files, and file names.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/symbols/elf/find/file_system.hpp"
#include "perfdata/symbols/source_line.hpp"
#include "perfdata/symbols/symbolizer_options.hpp"

#include "source_files.hpp"

namespace perfdata {

// LineTexts may be used from several threads. Its texts live as long as it.
class LineTexts {
  public:
    LineTexts(SourceFileOptions options, const ObjectFinder& finder)
        : sources_(std::move(options), finder.options(), finder.shared_files()) {}

    // Keeps one copy of each text. A search takes O(log n) comparisons of at most the text's length.
    std::string_view keep(std::string_view text);
    // Adds the source text to a line whose debug information has none. `built`: see SourceFiles::text().
    void add_to(SourceLine& line, const std::string& built) {
        if (line.text.empty()) line.text = sources_.text(line.file, line.line, built);
    }
    // Adds the source text to lines whose debug information has none. `built`: see SourceFiles::text().
    std::vector<LineStart> add_to(std::vector<LineStart> lines, const std::string& built);
    // See SourceFiles::miss().
    TextMiss miss(std::string_view file, const std::string& built) { return sources_.miss(file, built); }
    std::optional<Error> problem() const { return sources_.problem(); }

  private:
    SourceFiles sources_;
    std::mutex mutex_;
    std::set<std::string, std::less<>> kept_;
};

}  // namespace perfdata

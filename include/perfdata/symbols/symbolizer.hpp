// SPDX-License-Identifier: MIT
// Everything that is known of code: names, versions, bytes and lines, opened together.
#pragma once

#include <memory>
#include <optional>

#include "perfdata/symbols/code_images.hpp"
#include "perfdata/symbols/code_lines.hpp"
#include "perfdata/symbols/code_versions.hpp"
#include "perfdata/symbols/names.hpp"
#include "perfdata/symbols/symbols.hpp"

namespace perfdata {

struct SymbolizerOptions {
    NameOptions names{};
    CodeImageOptions images{};
    CodeLineOptions lines{};
};

// Symbolizer is const once opened; const use from many threads is safe. Recording and timeline must outlive it.
class Symbolizer {
  public:
    // open(recording, timeline): nothing that is missing is an error; names().problems() and images().problems() say
    // what would be needed.
    static Symbolizer open(const Recording& recording, const Timeline& timeline, const SymbolizerOptions& options = {});

    const Timeline& timeline() const { return parts_->symbols.timeline(); }
    const Names& names() const { return parts_->names; }
    const Symbols& symbols() const { return parts_->symbols; }
    const CodeVersions& versions() const { return parts_->versions; }
    const CodeImages& images() const { return parts_->images; }
    const CodeLines& lines() const { return parts_->lines; }

  private:
    // They refer to each other, so they stay where they are when the symbolizer is moved.
    struct Parts {
        Parts(const Recording& recording, const Timeline& timeline, const SymbolizerOptions& options);

        Names names;
        Symbols symbols;
        CodeVersions versions;
        CodeImages images;
        CodeLines lines;
    };

    explicit Symbolizer(std::unique_ptr<const Parts> parts) : parts_(std::move(parts)) {}

    std::unique_ptr<const Parts> parts_;
};

}  // namespace perfdata

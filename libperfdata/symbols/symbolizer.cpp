// SPDX-License-Identifier: MIT
#include "perfdata/symbols/symbolizer.hpp"

namespace perfdata {

Symbolizer::Parts::Parts(const Recording& recording, const Timeline& timeline, const SymbolizerOptions& options)
    : names(Names::load(recording, timeline, options.names)),
      symbols(timeline),
      versions(CodeVersions::build(timeline, names)),
      images(recording, timeline, names, symbols, versions, options.images),
      lines(timeline, names, symbols, options.lines) {}

Symbolizer Symbolizer::open(const Recording& recording, const Timeline& timeline, const SymbolizerOptions& options) {
    return Symbolizer(std::make_unique<const Parts>(recording, timeline, options));
}

}  // namespace perfdata

// SPDX-License-Identifier: MIT
#include "perfdata/symbols/code_book.hpp"

namespace perfdata {

CodeBook::Parts::Parts(const Recording& recording, const Timeline& timeline, const CodeBookOptions& options)
    : names(Names::load(recording, timeline, options.names)),
      symbols(timeline),
      versions(CodeVersions::build(timeline, names)),
      images(recording, timeline, names, symbols, versions, options.images),
      lines(timeline, names, symbols, options.lines) {}

CodeBook CodeBook::open(const Recording& recording, const Timeline& timeline, const CodeBookOptions& options) {
    return CodeBook(std::make_unique<const Parts>(recording, timeline, options));
}

}  // namespace perfdata

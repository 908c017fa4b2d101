// SPDX-License-Identifier: MIT
// Source lines of the functions of a profile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "perfdata/symbols/source_line.hpp"

#include "bundle/trusted_sources.hpp"
#include "making.hpp"
#include "origin_names.hpp"

namespace perfdata {

// MadeLines reads lines. Functions share what is read, and texts of source files share one limit: ask in the order of
// their places. A file may say that many functions share their bytes: so all of them together have at most most_starts
// lines. The rest is left out, and the profile is partial.
class MadeLines {
  public:
    static constexpr std::size_t most_starts = std::size_t{1} << 24;

    explicit MadeLines(Making& making)
        : making_(making), origins_(making), places_(making.model.places), calls_(making.model.calls) {}

    // Adds all lines of a function, of so many bytes and samples. Annotate shows no text of functions without samples,
    // such as callers in the C library: source files of theirs alone are not missing.
    void add(stored::Ref<stored::Function> row, const Frame& function, std::uint64_t size, std::uint64_t samples);

    // At is the line at a place; `place` and `calls` are nothing if it is not known. Then `problem` may say why; `from`
    // is what the line would be read from.
    struct At {
        stored::Ref<stored::SourcePlace> place;
        stored::Ref<stored::Call> calls;
        std::vector<stored::Problem> problem;  // none or one
        stored::Ref<stored::Text> from;        // with a problem
    };
    // Returns the line of one byte.
    At at(const Frame& frame);

    // Counts the source files whose text is not shown, as they are newer than the program or not here. Call it once,
    // when all lines are there.
    void count_missing();

    // Leaves the text out of all places in source files that may not be handed out, and of those whose text is not what
    // the trusted file has: it may have been read from another one, where the name led before. Call it once, when all
    // lines are there. Errors: cancelled.
    Result<void> keep_trusted(TrustedSources& sources);

  private:
    // Samples are those of all functions with lines of a source file.
    struct Samples {
        std::uint64_t sum = 0;
        stored::Ref<stored::Function> last;  // the function that was added last
    };
    // Named is a source file that was read: what names it, and the places with its text.
    struct Named {
        TrustedSources::NamedBy by;
        Samples samples;
        std::vector<stored::Ref<stored::SourcePlace>> places;
    };
    // What a text is from: a source file, or the recording and the file with the code themselves.
    enum class TextOf : bool { file, code };

    // Missing is a source file without text.
    struct Missing {
        TextMiss why = TextMiss::none;
        Samples samples;
    };

    void add_samples(Samples& samples) const;
    stored::Ref<stored::Text> origin(const LinesOrigin& origin, const Frame& function);
    stored::Ref<stored::SourcePlace> place(const Frame& function, const SourceLine& line, TextOf text_of);
    stored::Ref<stored::Call> calls(const Frame& function, const InlinedCalls& calls);
    // Returns the lines with their texts, and which texts are the code's own.
    std::pair<std::vector<LineStart>, std::vector<TextOf>> with_texts(const Frame& function,
                                                                      std::vector<LineStart> bare) const;

    Making& making_;
    OriginNames origins_;
    std::size_t starts_left_ = most_starts;
    RowsOnce<stored::SourcePlace> places_;
    RowsOnce<stored::Call> calls_;
    std::map<const InlinedCall*, stored::Ref<stored::Call>> shared_;  // chains of the function: lines share them
    std::map<stored::Ref<stored::Text>, Named> named_;                // by name; each place is there once at most
    std::map<stored::Ref<stored::Text>, Missing> missing_;            // by name
    stored::Ref<stored::Function> function_;                          // whose lines are being added; nothing: of none
    std::uint64_t samples_ = 0;                                       // of that function
};

}  // namespace perfdata

// SPDX-License-Identifier: MIT
#include "made_lines.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/core/small_algorithms.hpp"
#include "perfdata/recording/left_out.hpp"

namespace perfdata {

void MadeLines::add(stored::Ref<stored::Function> row, const Frame& function, std::uint64_t size,
                    std::uint64_t samples) {
    const auto& symbolizer = making_.symbolizer;
    stored::Lines lines;
    lines.function = row;
    const auto origin = symbolizer.lines_origin(function);
    lines.origin = origin.kind;
    if (origin.kind != LinesOrigin::Kind::none) {
        lines.from = this->origin(origin, function);
        lines.at = origin.at;
    }
    Result<std::vector<LineStart>> starts;
    if (starts_left_ != 0) starts = symbolizer.lines_without_texts(function, size);
    std::optional<Error> problem;
    if (starts_left_ == 0 || (starts && starts->size() > starts_left_)) {
        constexpr std::string_view why =
            "there are more lines than there is room for: those of some functions are left "
            "out";
        making_.partial("lines", why);
        starts_left_ = 0;
        starts = fail(ErrorCode::limit, Error::no_offset, "lines of the profile", std::string(why));
    }
    if (starts) {
        starts_left_ -= starts->size();
        shared_.clear();
        function_ = row;
        samples_ = samples;
        const auto [whole, texts] = with_texts(function, std::move(*starts));
        lines.starts.reserve(whole.size());
        for (std::size_t at = 0; at < whole.size(); ++at) {
            const auto& start = whole[at];
            lines.starts.push_back({start.offset, start.instruction, place(function, start.source, texts[at]),
                                    calls(function, start.inlined)});
        }
        function_ = {};
        samples_ = 0;
        problem = symbolizer.lines_problem(function, whole);
    } else {
        lines.failed = true;
        problem = starts.error();
    }
    if (problem) lines.problem.push_back(making_.problem(*problem, symbolizer.is_line_loss(function, *problem)));
    making_.model.lines.push_back(std::move(lines));
}

stored::Ref<stored::Text> MadeLines::origin(const LinesOrigin& origin, const Frame& function) {
    const auto id = reinterpret_cast<std::uintptr_t>(origin.from);
    return origins_.of(static_cast<unsigned>(origin.kind), id, origin_path(making_, function));
}

MadeLines::At MadeLines::at(const Frame& frame) {
    const auto& symbolizer = making_.symbolizer;
    auto starts = symbolizer.lines_without_texts(frame, 1);
    At found;
    if (starts && !starts->empty() && starts->front().offset == 0) {
        shared_.clear();
        const auto [whole, texts] = with_texts(frame, std::move(*starts));
        found.place = place(frame, whole.front().source, texts.front());
        found.calls = calls(frame, whole.front().inlined);
        if (!whole.front().source.file.empty()) return found;
        starts = whole;
    }
    const auto origin = symbolizer.lines_origin(frame);
    if (origin.kind == LinesOrigin::Kind::none) return found;
    const auto problem = starts ? symbolizer.lines_problem(frame, *starts) : std::optional(starts.error());
    if (!problem) return found;
    found.problem.push_back(making_.problem(*problem, symbolizer.is_line_loss(frame, *problem)));
    found.from = this->origin(origin, frame);
    return found;
}

std::pair<std::vector<LineStart>, std::vector<MadeLines::TextOf>> MadeLines::with_texts(
    const Frame& function, std::vector<LineStart> bare) const {
    std::vector<TextOf> texts;
    texts.reserve(bare.size());
    for (const auto& start : bare) texts.push_back(start.source.text.empty() ? TextOf::file : TextOf::code);
    return {making_.symbolizer.with_texts(function, std::move(bare)), std::move(texts)};
}

stored::Ref<stored::SourcePlace> MadeLines::place(const Frame& function, const SourceLine& line, TextOf text_of) {
    const auto known = making_.model.places.size();
    const auto row = places_({making_.text(line.file), line.line, line.column, making_.text(line.text)});
    const auto is_new = row.number >= known;
    const auto file = making_.model.places[row.number].file;
    if (line.text.empty()) {
        if (samples_ == 0 || line.file.empty()) return row;
        auto known_as = missing_.find(file);
        if (known_as == missing_.end()) {
            const auto miss = making_.symbolizer.text_miss(function, line.file);
            if (miss == TextMiss::none) return row;
            known_as = missing_.try_emplace(file, Missing{miss, {}}).first;
        }
        add_samples(known_as->second.samples);
        return row;
    }
    if (text_of == TextOf::code) return row;
    auto& named = named_[file];
    named.by.insert(naming_object(function));
    add_samples(named.samples);
    if (is_new) named.places.push_back(row);
    return row;
}

// A function counts once, however many lines of a file it has.
void MadeLines::add_samples(Samples& samples) const {
    if (!function_ || samples.last == function_) return;
    samples.last = function_;
    samples.sum = add_up_to_most(samples.sum, samples_);
}

void MadeLines::count_missing() {
    for (const auto& [file, missing] : missing_) {
        making_.leave_out(missing.why == TextMiss::newer ? left_out_newer : left_out_not_here, file,
                          missing.samples.sum);
    }
}

namespace {

// Returns where the lines of a text begin, with its end behind the last one.
std::vector<std::size_t> begins_of_lines(std::string_view text) {
    std::vector<std::size_t> begins;
    for (std::size_t at = 0; at < text.size(); at = std::min(text.find('\n', at), text.size() - 1) + 1) {
        begins.push_back(at);
    }
    begins.push_back(text.size());
    return begins;
}

}  // namespace

// A file has as many bytes as all source files may have together, and is gone before the next one is read.
Result<void> MadeLines::keep_trusted(TrustedSources& sources) {
    const auto room = making_.recording.limits().source_file_bytes;
    const auto nothing = making_.text(std::string_view());
    for (auto& [file, named] : named_) {
        if (making_.stopped()) return Making::cancelled();
        const auto source = sources.read(making_.model.text(file), named.by, room);
        if (!source) return fail(source.error());
        auto why = source->found ? source->left_out : TrustedSources::unreadable;
        const auto begins = begins_of_lines(source->text);
        const auto is_line = [&](std::uint32_t number, std::string_view shown) {
            if (number == 0 || number >= begins.size()) return false;
            auto line = std::string_view(source->text).substr(0, begins[number]).substr(begins[number - 1]);
            if (line.ends_with('\n')) line.remove_suffix(1);
            if (line.ends_with('\r')) line.remove_suffix(1);
            return line == shown;
        };
        for (const auto ref : named.places) {
            auto& row = making_.model.places[ref.number];
            if (why.empty() && !is_line(row.line, making_.model.text(row.text))) why = TrustedSources::unreadable;
        }
        if (why.empty()) continue;
        for (const auto ref : named.places) making_.model.places[ref.number].text = nothing;
        making_.leave_out(why, file, named.samples.sum);
    }
    named_.clear();
    return {};
}

// The calls are innermost first; a row refers to the one around it.
stored::Ref<stored::Call> MadeLines::calls(const Frame& function, const InlinedCalls& calls) {
    if (calls.empty()) return {};
    const auto [entry, is_new] = shared_.try_emplace(calls.data());
    if (!is_new) return entry->second;
    const auto kept = std::min(calls.size(), stored::most_depth);
    if (kept < calls.size()) {
        making_.partial("inlined calls", "some are nested deeper than there is room for: the outermost are left out");
    }
    stored::Ref<stored::Call> outer;
    for (auto at = kept; at-- > 0;) {
        const auto& call = calls.data()[at];
        outer = calls_({outer, making_.text(call.function), place(function, call.call, TextOf::file)});
    }
    return entry->second = outer;
}

}  // namespace perfdata

// SPDX-License-Identifier: MIT
#include "perfdata/annotate/listing/listing.hpp"

#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <thread>

#include "perfdata/core/catch_bad_alloc.hpp"
#include "perfdata/core/parallel.hpp"
#include "perfdata/core/reentered.hpp"

#include "format/words.hpp"
#include "listing_budget.hpp"
#include "listing_targets.hpp"
#include "listing_texts.hpp"
#include "listing_turns.hpp"

namespace perfdata {
namespace {

class ListingMaker {
  public:
    ListingMaker(const FunctionHits& hits, const Symbolizer& symbolizer, const Limits& limits,
                 Turns::Turn* turn = nullptr, const Watch* watch = nullptr)
        : hits_(hits),
          symbolizer_(symbolizer),
          most_instructions_(limits.listed_instructions),
          turn_(turn),
          watch_(watch) {
        const auto& version = hits.version;
        listing_.version = version;
        listing_.total = hits.total;
        listing_.versions = static_cast<std::uint32_t>(symbolizer.versions().count(version.function));
        listing_.range = {version.address.value_or(Address{version.function.offset}), version.size};
        if (version.function.is_code()) {
            name_code(version.function.index);
        } else {
            name_other();
        }
    }

    Listing summary_listing() && { return std::move(listing_); }

    Listing make(const Result<Disassembler>& disassembler) && {
        note_btf_problem();
        auto image = symbolizer_.image(hits_.version);
        if (!image || !disassembler) {
            listing_.problems.push_back(image ? disassembler.error() : image.error());
            return std::move(listing_);
        }
        for (auto& problem : image->problems) listing_.problems.push_back(std::move(problem));
        image->problems.clear();
        listing_.image = std::make_shared<const CodeImage>(std::move(*image));
        if (!hits_.version.address) listing_.range.begin = listing_.image->address;
        add_instructions(*disassembler);
        add_changes(*disassembler);
        add_lines();
        add_hits();
        return std::move(listing_);
    }

  private:
    void name_code(CodeIndex index) {
        const auto& code = symbolizer_.timeline().code()[index];
        listing_.code = index;
        listing_.kind = code.kind == CodeKind::out_of_line ? CodeClass::out_of_line : CodeClass::bpf;
        listing_.name = symbolizer_.bpf().name(index);
        listing_.symbol = code.symbol;
        listing_.object = object_name(symbolizer_.timeline(), code);
    }

    void name_other() {
        const auto name = symbolizer_.name(hits_.version.function);
        listing_.kind = name.kind;
        listing_.name.name = name.symbol;
        listing_.symbol = name.symbol;
        listing_.object = name.object;
    }

    void note_btf_problem() {
        const auto* load = symbolizer_.timeline().load_of(listing_.version.function);
        if (load == nullptr) return;
        if (auto problem = symbolizer_.bpf().problem(*load)) {
            listing_.problems.push_back(std::move(*problem));
        }
    }

    // decode(...) skips what the image does not hold: each such stretch is one piece without text, and so is what is
    // beyond the most instructions that are listed.
    std::vector<Instruction> decode(const Disassembler& disassembler, Bytes bytes) const {
        const auto& image = *listing_.image;
        std::vector<Instruction> all;
        std::uint64_t begin = 0;
        const auto piece = [&](std::uint64_t end) {
            const auto part = bytes.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
            const auto most = most_instructions_ - std::min(most_instructions_, all.size());
            auto decoded = disassembler.decode(part, image.address + begin, most);
            if (all.empty() && begin == 0) {  // the usual case: nothing is copied
                all = std::move(decoded);
                return;
            }
            for (auto& one : decoded) {
                one.offset += begin;
                all.push_back(std::move(one));
            }
        };
        for (const auto& gap : image.gaps) {
            piece(gap.offset);
            if (all.size() >= most_instructions_) break;
            all.push_back(without_text(gap.offset, gap.size, "known"));
            begin = gap.offset + gap.size;
        }
        if (all.size() < most_instructions_) piece(bytes.size());
        const auto end = all.empty() ? 0 : all.back().offset + all.back().size;
        if (end < bytes.size()) all.push_back(without_text(end, bytes.size() - end, "listed"));
        return all;
    }

    static Instruction without_text(std::uint64_t offset, std::uint64_t size, std::string_view what) {
        Instruction piece;
        piece.offset = offset;
        piece.size = static_cast<std::uint32_t>(size);
        piece.decoded = false;
        piece.mnemonic = fmt::format("({} bytes that are not {})", size, what);
        return piece;
    }

    void note_unlisted(const std::vector<Instruction>& all) {
        if (all.size() <= most_instructions_) return;
        listing_.problems.push_back({ErrorCode::limit, Error::no_offset, "listing",
                                     fmt::format("the last {} of its {} bytes are not listed: it has more than {} "
                                                 "instructions, which is the limit",
                                                 all.back().size, listing_.image->bytes.size(), most_instructions_)});
    }

    void add_instructions(const Disassembler& disassembler) {
        const auto& image = *listing_.image;
        const ListingTargets targets(listing_, symbolizer_);
        auto all = decode(disassembler, image.bytes);
        note_unlisted(all);
        listing_.instructions.reserve(all.size());
        for (auto& decoded : all) {
            ListingInstruction row;
            row.address = image.address + decoded.offset;
            row.bytes = Bytes(image.bytes).subspan(static_cast<std::size_t>(decoded.offset), decoded.size);
            row.cells = none_;
            if (decoded.target) row.target = targets.resolve(*decoded.target);
            if (decoded.constant) row.target = targets.function_at(*decoded.constant);
            if (auto relocated = relocated_target(decoded, image)) row.target = std::move(relocated);
            row.instruction = std::move(decoded);
            listing_.instructions.push_back(std::move(row));
        }
    }

    // If a loader has yet to fill in the operand, the symbol is what it will lead to.
    static std::optional<ListingTarget> relocated_target(const Instruction& decoded, const CodeImage& image) {
        const auto end = decoded.offset + decoded.size;
        const auto field = std::ranges::lower_bound(image.relocations, decoded.offset, {}, &CodeRelocation::offset);
        if (field == image.relocations.end() || field->offset >= end) return {};
        // Modulo 2^64, as the loader adds: below the symbol if negative.
        auto offset = static_cast<std::uint64_t>(field->addend);
        if (field->base == RelocationBase::next_instruction) offset += end - field->offset;
        if (field->base == RelocationBase::instruction) offset -= field->offset - decoded.offset;
        ListingTarget target{decoded.target.value_or(Address{}), field->symbol, 0, false, true};
        target.offset = offset;
        return target;
    }

    // Marks what this version changed, with the previous code.
    void add_changes(const Disassembler& disassembler) {
        const auto& image = *listing_.image;
        if (image.changes.empty()) return;
        auto before = image.bytes;
        for (const auto& change : image.changes) {
            for (std::size_t index = 0; index < change.before.size(); ++index) {
                const auto at = change.offset + index;
                if (at < before.size()) before[static_cast<std::size_t>(at)] = change.before[index];
            }
        }
        const auto old = decode(disassembler, before);
        const auto old_end = [](const Instruction& instruction) { return instruction.offset + instruction.size; };
        auto& rows = listing_.instructions;
        const auto row_end = [](const ListingInstruction& row) {
            return row.instruction.offset + row.instruction.size;
        };
        // The first of several changes of one instruction counts. Both lists are by offset, without gaps: each change
        // costs as much as it covers.
        for (const auto& change : image.changes) {
            const auto last = change.offset + std::max(change.before.size(), change.after.size());
            auto row = std::ranges::upper_bound(rows, change.offset, {}, row_end);
            for (; row != rows.end() && row->instruction.offset < last; ++row) {
                if (row->changed) continue;
                const auto begin = row->instruction.offset;
                row->changed = ListingChange{change.time, {}};
                auto& text = row->changed->text;
                auto was = std::ranges::upper_bound(old, begin, {}, old_end);
                for (; was != old.end() && was->offset < row_end(*row); ++was) {
                    text += (text.empty() ? "" : "; ") + text_of(*was);
                }
            }
        }
        for (auto& row : rows) {
            if (row.changed && row.changed->text == text_of(row.instruction)) row.changed.reset();
        }
    }

    // LineKey identifies a line.
    struct LineKey {
        std::uint32_t line = 0, column = 0;
        std::string_view file;

        bool operator<(const LineKey& other) const {
            if (line != other.line) return line < other.line;
            if (column != other.column) return column < other.column;
            return BeforeText{}(file, other.file);
        }
    };
    using KnownLines = std::map<LineKey, std::uint32_t>;  // numbers in listing_.lines; log n each

    void add_lines() {
        const auto& function = hits_.version.function;
        if (turn_ != nullptr) {
            const auto shared = symbolizer_.lines_shared(function, watch_ != nullptr ? *watch_ : Watch{});
            if (!shared) return;
            turn_->wait(*shared);
        }
        if (watch_ != nullptr && !symbolizer_.load(function, CodeDetail::lines, *watch_)) return;
        auto starts = symbolizer_.lines_without_texts(function, listing_.image->bytes.size());
        auto problem = starts ? missing_lines(*starts) : std::optional(starts.error());
        if (turn_ != nullptr) turn_->end();
        if (problem) {
            listing_.lines_problem = listing_.problems.size();
            listing_.problems.push_back(std::move(*problem));
        }
        if (!starts) return;
        KnownLines known;
        auto next = starts->begin();
        std::optional<std::uint32_t> line, inlined, bpf_instruction;
        const bool bpf = listing_.kind == CodeClass::bpf;
        for (auto& row : listing_.instructions) {
            for (; next != starts->end() && next->offset <= row.instruction.offset; ++next) {
                auto source = next->source;
                if (!bpf) source.column = 0;  // compilers change columns at nearly every instruction
                const auto [place, added] = known.try_emplace({source.line, source.column, source.file},
                                                              static_cast<std::uint32_t>(listing_.lines.size()));
                if (added) listing_.lines.push_back({source, none_});
                line = place->second;
                inlined = chain(next->inlined);
                if (bpf) bpf_instruction = next->instruction;
            }
            row.line = line;
            row.inlined = inlined;
            row.bpf_instruction = bpf_instruction;
        }
        own_first_line(known);
    }

    // missing_lines(starts) is why some of the code has no lines where some has: a function may be in several units, of
    // which debug information that is damaged has only the first.
    std::optional<Error> missing_lines(const std::vector<LineStart>& starts) const {
        auto place = hits_.version.function;
        if (auto problem = symbolizer_.lines_problem(place, starts)) return problem;
        if (symbolizer_.lines_origin(place).kind != LinesOrigin::Kind::file || starts.empty()) return {};
        if (starts.front().offset == 0) {
            const auto without = [](const LineStart& start) { return start.source.file.empty(); };
            const auto hole = std::ranges::find_if(starts, without);
            if (hole == starts.end()) return {};
            place.offset += hole->offset;
        }
        const auto there = symbolizer_.lines_without_texts(place, 1);
        return there ? std::nullopt : std::optional(there.error());
    }

    // Instructions before the first entry of a table belong to no line; if there are lines at all, each instruction
    // needs one.
    void own_first_line(KnownLines& known) {
        if (listing_.lines.empty() || listing_.instructions.front().line) return;
        const auto [place, added] = known.try_emplace({}, static_cast<std::uint32_t>(listing_.lines.size()));
        if (added) listing_.lines.push_back({{}, none_});
        for (auto& row : listing_.instructions) {
            if (row.line) break;
            row.line = place->second;
        }
    }

    std::optional<std::uint32_t> chain(const InlinedCalls& calls) {
        if (calls.empty()) return {};
        const auto [place, added] = inlined_.try_emplace(calls, static_cast<std::uint32_t>(listing_.inlined.size()));
        if (added) listing_.inlined.push_back(calls);
        return place->second;
    }

    void add_hits() {
        std::uint64_t all = 0;
        std::uint64_t on_start = 0;
        // Most instructions and lines have none, and there may be many events.
        std::map<std::uint32_t, EventCounts> of_lines;
        auto& rows = listing_.instructions;
        auto last = rows.end();
        EventCounts sum(hits_.total.size());
        const auto close = [&] {
            if (last == rows.end()) return;
            last->cells = sum;
            std::ranges::fill(sum, EventCount{});
        };
        for (const auto& [offset, cells] : hits_.offsets) {
            // A hit inside an instruction belongs to it, one beyond the code to the last.
            const auto above =
                std::ranges::upper_bound(rows, offset, {}, [](const auto& row) { return row.instruction.offset; });
            if (above == rows.begin()) continue;
            const auto row = std::prev(above);
            if (row != last) close();
            last = row;
            add(sum, cells);
            if (row->line) {
                auto& of_line = of_lines[*row->line];
                of_line.resize(cells.size());
                add(of_line, cells);
            }
            all = add_up_to_most(all, hits(cells));
            if (row->instruction.offset == offset && row->instruction.decoded)
                on_start = add_up_to_most(on_start, hits(cells));
        }
        close();
        for (auto& [line, cells] : of_lines) listing_.lines[line].cells = std::move(cells);
        if (all != 0) listing_.on_instruction_start = static_cast<double>(on_start) / static_cast<double>(all);
    }

    static bool before_call(const InlinedCall& one, const InlinedCall& other) {
        const LineKey key{one.call.line, one.call.column, one.call.file};
        const LineKey other_key{other.call.line, other.call.column, other.call.file};
        if (key < other_key) return true;
        if (other_key < key) return false;
        return BeforeText{}(one.function, other.function);
    }
    struct BeforeInlined {
        bool operator()(const InlinedCalls& one, const InlinedCalls& other) const {
            if (one.data() == other.data()) return false;
            return std::ranges::lexicographical_compare(one, other, before_call);
        }
    };

    const FunctionHits& hits_;
    const Symbolizer& symbolizer_;
    const std::size_t most_instructions_;
    Turns::Turn* turn_;   // null: no other thread makes listings
    const Watch* watch_;  // null: nobody watches; once it stops, the listing is of no use
    const SharedEventCounts none_ = EventCounts(hits_.total.size());
    Listing listing_;
    std::map<InlinedCalls, std::uint32_t, BeforeInlined> inlined_;  // those of the listing; log n each
};

// listed_within(functions, cells) returns how many of them have room for one count per event and instruction.
std::size_t listed_within(std::span<const FunctionHits> functions, std::uint64_t cells) {
    constexpr std::uint64_t bytes_of_one = 4, unknown_size = 256;
    std::size_t count = 0;
    for (const auto& function : functions) {
        const auto size = function.version.size != 0 ? function.version.size / bytes_of_one + 1 : unknown_size;
        const auto columns = std::max<std::uint64_t>(function.total.size(), 1);
        if (size > cells / columns) break;
        cells -= size * columns;
        ++count;
    }
    return count;
}

// Returns the listing of each function. Once it is asked to stop, the rest are empty.
std::vector<Listing> list_all(std::span<const FunctionHits> functions, const Symbolizer& symbolizer,
                              const ListingOptions& options) {
    // Each byte may become an instruction, which takes a few hundred bytes.
    constexpr std::uint64_t batch_bytes = std::uint64_t{64} << 10;
    constexpr std::size_t batch_functions = 1024;
    std::vector<Listing> listings(functions.size());
    std::mutex telling;
    std::size_t made = 0;
    Watch watch{options.stop, {}};
    if (options.progress) {
        // While a file is read it is told again what it knows, so that it can stop.
        watch.progress = [&](std::uint64_t, std::uint64_t) {
            // Whoever tells may wait for what this thread holds. What this one would tell is known.
            const std::unique_lock lock(telling, std::try_to_lock);
            if (lock) options.progress(made, functions.size());
        };
    }
    const bool watched = watch.stop.stop_possible() || watch.progress;
    auto room = listed_within(functions, options.limits.cells);
    ListingBudget budget(symbolizer, options.limits);
    // At most one batch is made in vain and held meanwhile, whatever the number of threads.
    for (std::size_t first = 0; first < room;) {
        auto end = first;
        for (std::uint64_t claimed = 0; end < room && end - first < batch_functions; ++end) {
            claimed += budget.claim(functions[end], options.limits);
            if (claimed > batch_bytes && end != first) break;
        }
        std::atomic<std::size_t> next = first;
        Turns turns(first, end - first);
        ListingTexts texts(symbolizer, std::span(listings).first(end), first);
        const auto work = [&] {
            const auto disassembler =
                Disassembler::create(options.arch, options.syntax);  // one thread at a time may use it
            for (auto index = next++; index < end; index = next++) {
                Turns::Turn turn(turns, index);  // ends even if there is nothing to do: others wait for it
                if (options.stop.stop_requested()) continue;
                const auto& function = functions[index];
                if (watched) {
                    const auto loaded = symbolizer.load(function.version.function, CodeDetail::bytes, watch);
                    if (!loaded && loaded.error().code == ErrorCode::busy) throw Reentered();
                    if (!loaded) continue;
                }
                ListingMaker maker(function, symbolizer, options.limits, &turn, watched ? &watch : nullptr);
                listings[index] = std::move(maker).make(disassembler);
                texts.ready(index);
                if (!options.progress) continue;
                const std::scoped_lock lock(telling);
                options.progress(++made, functions.size());
            }
        };
        on_threads(std::min<std::size_t>(options.jobs, end - first), work);
        if (options.stop.stop_requested()) return listings;
        while (first < end && budget.take(listings[first])) ++first;
        if (first != end) room = first;
    }
    for (auto index = room; index < functions.size(); ++index) {
        listings[index] = summary_listing(functions[index], symbolizer);
        listings[index].problems.push_back({ErrorCode::limit, Error::no_offset, "listing",
                                            "the listings before it take all that the limits of memory allow"});
    }
    return listings;
}

}  // namespace

Listing annotate(const FunctionHits& hits, const Symbolizer& symbolizer, const Result<Disassembler>& disassembler) {
    auto listing = ListingMaker(hits, symbolizer, {}).make(disassembler);
    add_texts(listing, symbolizer);
    return listing;
}

Listing summary_listing(const FunctionHits& hits, const Symbolizer& symbolizer) {
    return ListingMaker(hits, symbolizer, {}).summary_listing();
}

std::vector<Listing> annotate_all(std::span<const FunctionHits> functions, const Symbolizer& symbolizer,
                                  std::string_view arch, Syntax syntax, unsigned jobs, const Limits& limits) {
    return list_all(functions, symbolizer, {arch, syntax, jobs, limits});
}

Result<std::vector<Listing>> annotate_all(std::span<const FunctionHits> functions, const Symbolizer& symbolizer,
                                          const ListingOptions& options) {
    return catch_bad_alloc([&]() -> Result<std::vector<Listing>> {
        auto listings = list_all(functions, symbolizer, options);
        if (options.stop.stop_requested()) {
            return fail(ErrorCode::cancelled, Error::no_offset, "listing", "asked to stop");
        }
        return listings;
    });
}

}  // namespace perfdata

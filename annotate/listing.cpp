// SPDX-License-Identifier: MIT
#include "perfdata/annotate/listing.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace perfdata {
namespace {

class ListingMaker {
  public:
    ListingMaker(const FunctionHits& hits, const Symbols& symbols)
        : hits_(hits), symbols_(symbols), code_(symbols.timeline().code()[hits.code]) {
        listing_.code = hits.code;
        listing_.name = symbols.name(hits.code);
        listing_.total = hits.total;
    }

    Listing make(const Result<Disassembler>& disassembler) && {
        note_btf_problem();
        const auto image = symbols_.image(hits_.code);
        if (!image || !disassembler) {
            listing_.problems.push_back(image ? disassembler.error() : image.error());
            return std::move(listing_);
        }
        add_instructions(*image, *disassembler);
        add_lines();
        add_hits();
        return std::move(listing_);
    }

  private:
    void note_btf_problem() {
        if (!code_.load) return;
        if (auto problem = symbols_.problem(symbols_.timeline().loads()[*code_.load])) {
            listing_.problems.push_back(std::move(*problem));
        }
    }

    void add_instructions(Bytes image, const Disassembler& disassembler) {
        for (auto& decoded : disassembler.decode(image, code_.range.begin)) {
            ListingInstruction row;
            row.address = code_.range.begin + decoded.offset;
            row.bytes = image.subspan(static_cast<std::size_t>(decoded.offset), decoded.size);
            row.cells.resize(hits_.total.size());
            if (decoded.target) row.target = resolve(*decoded.target);
            if (decoded.constant) row.target = function_at(*decoded.constant);
            row.instruction = std::move(decoded);
            listing_.instructions.push_back(std::move(row));
        }
    }

    // A target is named by who owned its address while this code was alive.
    ListingTarget resolve(Address address) const {
        ListingTarget target{address, {}, 0, false};
        if (code_.range.contains(address)) {
            target.name = listing_.name.name;
            target.offset = address - code_.range.begin;
            target.same_function = true;
            return target;
        }
        auto found = symbols_.target(address, alive_at());
        if (!found) return target;
        target.offset = found->offset;
        target.name = std::move(found->name);
        if (found->code) {
            // A function of the same program needs no program in front of its name.
            const auto& code = symbols_.timeline().code()[*found->code];
            if (code.load && code.load == code_.load) target.name = symbols_.name(*found->code).name;
        }
        return target;
    }

    // A constant is shown as a target if it is exactly where a BPF function begins (callbacks are passed like that).
    std::optional<ListingTarget> function_at(Address address) const {
        const auto place = symbols_.timeline().owner(address, alive_at());
        if (!place || place->offset != 0) return {};
        return resolve(address);
    }

    // All functions of a program are registered by the time of its load, some microseconds after the first of them.
    Time alive_at() const {
        if (!code_.load) return code_.from;
        return std::max(code_.from, symbols_.timeline().loads()[*code_.load].loaded_at);
    }

    void add_lines() {
        auto starts = symbols_.lines(hits_.code);
        if (!starts) {
            listing_.problems.push_back(starts.error());
            return;
        }
        std::map<std::tuple<std::string_view, std::uint32_t, std::uint32_t>, std::uint32_t> known;
        auto next = starts->begin();
        std::optional<std::uint32_t> line, bpf_instruction;
        for (auto& row : listing_.instructions) {
            for (; next != starts->end() && next->offset <= row.instruction.offset; ++next) {
                const auto& source = next->source;
                const auto [place, added] = known.try_emplace(std::tuple(source.file, source.line, source.column),
                                                              static_cast<std::uint32_t>(listing_.lines.size()));
                if (added) listing_.lines.push_back({source, Cells(hits_.total.size())});
                line = place->second;
                bpf_instruction = next->instruction;
            }
            row.line = line;
            row.bpf_instruction = bpf_instruction;
        }
    }

    void add_hits() {
        std::uint64_t all = 0;
        std::uint64_t on_start = 0;
        for (const auto& [offset, cells] : hits_.offsets) {
            // A hit inside an instruction belongs to that instruction, one behind the code to the last.
            const auto above = std::ranges::upper_bound(listing_.instructions, offset, {},
                                                        [](const auto& row) { return row.instruction.offset; });
            if (above == listing_.instructions.begin()) continue;
            auto& row = *std::prev(above);
            add(row.cells, cells);
            if (row.line) add(listing_.lines[*row.line].cells, cells);
            all += hits(cells);
            if (row.instruction.offset == offset && row.instruction.decoded) on_start += hits(cells);
        }
        if (all != 0) listing_.on_instruction_start = static_cast<double>(on_start) / static_cast<double>(all);
    }

    const FunctionHits& hits_;
    const Symbols& symbols_;
    const Code& code_;
    Listing listing_;
};

}  // namespace

Listing annotate(const FunctionHits& hits, const Symbols& symbols, const Result<Disassembler>& disassembler) {
    return ListingMaker(hits, symbols).make(disassembler);
}

}  // namespace perfdata

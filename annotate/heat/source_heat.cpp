// SPDX-License-Identifier: MIT
#include "perfdata/annotate/heat/source_heat.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include "perfdata/core/catch_bad_alloc.hpp"
#include "perfdata/profile/intern_table.hpp"
#include "perfdata/symbols/bpf/bpf_programs.hpp"

#include "format/path_suffix.hpp"
#include "place_lines.hpp"

namespace perfdata {
namespace {

constexpr std::uint32_t none = ~std::uint32_t{0};

// HeatStopped ends the making from the middle of any loop. Nobody outside of this file sees it.
struct HeatStopped {};

// Numbers gives equal texts the same number.
class Numbers {
  public:
    std::uint32_t of(std::string_view text) {
        const auto [place, added] = known_.try_emplace(std::string(text), static_cast<std::uint32_t>(known_.size()));
        return place->second;
    }
    std::size_t size() const { return known_.size(); }
    // Returns the texts by number.
    std::vector<std::string_view> texts() const {
        std::vector<std::string_view> all(known_.size());
        for (const auto& [text, number] : known_) all[number] = text;
        return all;
    }

  private:
    std::map<std::string, std::uint32_t, std::less<>> known_;  // log n each
};

// Site is a function's part of a line.
struct Site {
    std::uint32_t line = 0;  // number in HeatMaker::lines_
    std::uint32_t function = 0;

    bool operator==(const Site&) const = default;
    std::uint64_t hash(const HashKey& key) const { return key(std::uint64_t{line} << 32 | function); }
};
struct LineOfFile {
    std::uint32_t file = 0, line = 0;

    bool operator==(const LineOfFile&) const = default;
    std::uint64_t hash(const HashKey& key) const { return key(std::uint64_t{file} << 32 | line); }
};

// Sums is counts of numbered things along a walk over a tree of calls: a thing counts inclusively where it is entered
// first.
class Sums {
  public:
    void resize(std::size_t things, std::size_t columns) {
        columns_ = columns;
        inside_.resize(things);
        self_.resize(things * columns);
        inclusive_.resize(things * columns);
    }
    void enter(std::uint32_t thing, std::span<const EventCount> below) {
        if (inside_[thing]++ == 0) add(inclusive_, thing, below);
    }
    void leave(std::uint32_t thing) { --inside_[thing]; }
    void add_self(std::uint32_t thing, std::span<const EventCount> own) { add(self_, thing, own); }
    Heat heat(std::uint32_t thing) const { return {part(self_, thing), part(inclusive_, thing)}; }
    bool any(std::uint32_t thing) const { return hits(part(inclusive_, thing)) != 0; }

  private:
    void add(EventCounts& sums, std::uint32_t thing, std::span<const EventCount> cells) const {
        for (std::size_t column = 0; column < columns_; ++column) sums[thing * columns_ + column] += cells[column];
    }
    EventCounts part(const EventCounts& sums, std::uint32_t thing) const {
        const auto begin = sums.begin() + static_cast<std::ptrdiff_t>(thing * columns_);
        return {begin, begin + static_cast<std::ptrdiff_t>(columns_)};
    }

    std::size_t columns_ = 0;
    std::vector<std::uint32_t> inside_;  // how often each is on the path to the node that is walked
    EventCounts self_, inclusive_;
};

// hottest(a, b) returns true if `a` has more heat.
bool hottest(const Heat& a, const Heat& b, bool otherwise) {
    const auto key = [](const Heat& heat) { return std::pair(hits(heat.self), hits(heat.inclusive)); };
    const auto one = key(a), other = key(b);
    return one != other ? one > other : otherwise;
}

class HeatMaker {
  public:
    HeatMaker(const SampleCounts& counts, const Symbolizer& symbolizer, const SourceHeatOptions& options)
        : counts_(counts), symbolizer_(symbolizer), options_(options), columns_(counts.events().size()) {}

    SourceHeat make() && {
        heat_.events = counts_.events();
        heat_.totals = counts_.totals();
        heat_.totals.resize(columns_);
        for (auto& cells : heat_.without_line) cells.resize(columns_);
        find_places();
        find_lines();
        walk();
        lay_out();
        return std::move(heat_);
    }

  private:
    void look() {
        if (++steps_ % 256 == 0 && options_.stop.stop_requested()) throw HeatStopped();
    }

    // Place is a frame as a sampled or interrupted address, or as the address that a call returns to.
    struct Place {
        std::uint32_t frame = 0;
        bool returns = false;

        bool operator==(const Place&) const = default;
        std::uint64_t hash(const HashKey& key) const { return key(std::uint64_t{frame} << 1 | (returns ? 1u : 0u)); }
    };

    // A caller is the address behind its call, unless another mode was entered there. For unwound stacks it lies in
    // the call already: one byte before it is still the call.
    //
    // A node's samples are in two groups: those that fell there, or in another mode that was entered there, and those
    // in what was called. The places of the groups differ by a byte.
    void find_places() {
        const auto nodes = counts_.chains();
        const auto frames = counts_.frames();
        for (auto& first : first_) first.resize(nodes.size(), none);
        next_.resize(nodes.size(), none);
        below_.resize(nodes.size() * columns_);
        own_.resize(nodes.size() * columns_);
        place_of_.resize(nodes.size(), {none, none});
        const auto rows = counts_.rows();
        for (std::size_t row = 0; row < rows.size(); ++row) {
            look();
            const auto node = rows[row].chain;
            place_of_[node][0] = places_.intern({nodes[node].frame, false});
            for (auto* const sums : {&own_, &below_}) add_to(*sums, node, counts_.cells(row));
        }
        // Callees have higher numbers than their callers.
        for (auto node = static_cast<std::uint32_t>(nodes.size()); node-- > 0;) {
            look();
            const auto caller = nodes[node].caller;
            if (caller == ChainNode::none) continue;
            add_to(below_, caller, cells(below_, node));
            const bool returns = frames[nodes[caller].frame].mode == frames[nodes[node].frame].mode;
            next_[node] = std::exchange(first_[returns ? 1 : 0][caller], node);
            place_of_[caller][returns ? 1 : 0] = places_.intern({nodes[caller].frame, returns});
        }
    }

    std::span<const EventCount> cells(const EventCounts& sums, std::uint32_t node) const {
        return std::span(sums).subspan(node * columns_, columns_);
    }
    void add_to(EventCounts& sums, std::uint32_t node, std::span<const EventCount> more) const {
        for (std::size_t column = 0; column < columns_; ++column) sums[node * columns_ + column] += more[column];
    }

    // Looks up the lines of all places, by frame: neighbours share what is read.
    void find_lines() {
        const auto frames = counts_.frames();
        const auto places = places_.keys();
        std::vector<std::uint32_t> order(places.size());
        std::iota(order.begin(), order.end(), 0u);
        std::ranges::sort(order, {}, [&](std::uint32_t place) {
            const auto& frame = frames[places[place].frame];
            return std::tuple(frame.kind, frame.index, frame.offset, frame.version, frame.mode, places[place].returns,
                              places[place].frame);
        });
        lines_of_.resize(places.size());
        std::size_t done = 0;
        Watch watch{options_.stop, {}};
        if (options_.progress) {
            watch.progress = [&](std::uint64_t, std::uint64_t) { options_.progress(done, places.size()); };
        }
        PlaceLines lines(symbolizer_, watch);
        for (const auto place : order) {
            look();
            auto frame = frames[places[place].frame];
            if (places[place].returns && !frame.is_nowhere() && frame.offset != 0) --frame.offset;
            auto& found = lines_of_[place];
            found.begin = static_cast<std::uint32_t>(sites_of_.size());
            const auto answer = lines.at(frame);
            if (!answer) throw HeatStopped();
            found.why = add_sites(*answer, frame);
            found.end = static_cast<std::uint32_t>(sites_of_.size());
            if (++done % 1024 == 0 && options_.progress) options_.progress(done, places.size());
        }
        heat_.problems = lines.take_problems();
        // Objects have other numbers in a profile.
        std::ranges::sort(heat_.problems, {}, &Error::message);
    }

    // Adds the sites of a place, innermost first. Returns why there are none.
    NoLine add_sites(const PlaceLines::Answer& answer, const Frame& frame) {
        if (answer.line == nullptr) return answer.why;
        const auto most = options_.limits.cells / std::max<std::size_t>(columns_, 1);
        if (sites_of_.size() >= std::min<std::size_t>(most, none / 2)) return NoLine::limit;
        const auto* at = &answer.line->source;
        std::size_t depth = 0;
        for (const auto& call : answer.line->inlined) {
            if (++depth > SourceHeat::most_inlined) {
                ++heat_.cut_places;
                return NoLine::no_line;
            }
            add_site(*at, call.function.empty() ? std::string_view("(inlined)") : call.function);
            at = &call.call;
        }
        add_site(*at, name_of(frame));
        return NoLine::no_line;
    }

    void add_site(const SourceLine& source, std::string_view function) {
        if (source.line == 0 || source.file.empty()) return;
        const auto line = lines_.intern({files_.of(source.file), source.line});
        sites_of_.push_back(sites_.intern({line, functions_.of(function)}));
    }

    // Returns the best name of the function at a frame, valid until the next call.
    std::string_view name_of(const Frame& frame) {
        if (frame.is_code()) {
            name_ = symbolizer_.bpf().plain_name(frame.index).full();
            if (!name_.empty()) return name_;
        }
        const auto name = symbolizer_.name(frame);
        return name.symbol.empty() ? std::string_view("(unknown)") : name.symbol;
    }

    // Walks down from each outermost caller. What is on the way there has been entered.
    void walk() {
        site_sums_.resize(sites_.size(), columns_);
        line_sums_.resize(lines_.size(), columns_);
        file_sums_.resize(files_.size(), columns_);
        const auto nodes = counts_.chains();
        struct Step {
            std::uint32_t node;
            std::uint8_t group;
            bool leaves;
        };
        std::vector<Step> steps;
        const auto push = [&](std::uint32_t node) {
            if (hits(cells(below_, node)) == 0) return;
            for (const std::uint8_t group : {std::uint8_t{0}, std::uint8_t{1}}) {
                if (place_of_[node][group] != none) steps.push_back({node, group, false});
            }
        };
        for (std::uint32_t root = 0; root < nodes.size(); ++root) {
            if (nodes[root].caller == ChainNode::none) push(root);
            while (!steps.empty()) {
                look();
                auto& step = steps.back();
                const auto [node, group, leaves] = step;
                if (leaves) {
                    for (const auto site : sites_at(node, group)) leave(site);
                    steps.pop_back();
                    continue;
                }
                step.leaves = true;
                enter(node, group);
                for (auto callee = first_[group][node]; callee != none; callee = next_[callee]) push(callee);
            }
        }
    }

    std::span<const std::uint32_t> sites_at(std::uint32_t node, std::uint8_t group) const {
        const auto& found = lines_of_[place_of_[node][group]];
        return std::span(sites_of_).subspan(found.begin, found.end - found.begin);
    }

    void enter(std::uint32_t node, std::uint8_t group) {
        const auto own = cells(own_, node);
        const auto sites = sites_at(node, group);
        if (group == 0) {
            if (sites.empty()) {
                add(heat_.without_line[static_cast<std::size_t>(lines_of_[place_of_[node][0]].why)], own);
            } else {
                const auto& site = sites_.keys()[sites.front()];
                site_sums_.add_self(sites.front(), own);
                line_sums_.add_self(site.line, own);
                file_sums_.add_self(lines_.keys()[site.line].file, own);
            }
        }
        if (sites.empty()) return;
        EventCounts part(columns_);
        if (group == 0) add(part, own);
        for (auto callee = first_[group][node]; callee != none; callee = next_[callee]) {
            add(part, cells(below_, callee));
        }
        for (const auto number : sites) {
            const auto& site = sites_.keys()[number];
            site_sums_.enter(number, part);
            line_sums_.enter(site.line, part);
            file_sums_.enter(lines_.keys()[site.line].file, part);
        }
    }
    void leave(std::uint32_t number) {
        const auto& site = sites_.keys()[number];
        site_sums_.leave(number);
        line_sums_.leave(site.line);
        file_sums_.leave(lines_.keys()[site.line].file);
    }

    void lay_out() {
        const auto names = functions_.texts();
        std::vector<std::uint32_t> by_name(names.size()), rank(names.size());
        std::iota(by_name.begin(), by_name.end(), 0u);
        std::ranges::sort(by_name, {}, [&](std::uint32_t number) { return names[number]; });
        for (std::uint32_t at = 0; at < by_name.size(); ++at) {
            rank[by_name[at]] = at;
            heat_.functions.emplace_back(names[by_name[at]]);
        }
        const auto paths = files_.texts();
        for (std::uint32_t file = 0; file < paths.size(); ++file) {
            heat_.files.push_back({std::string(paths[file]), file_sums_.heat(file), {}});
        }
        std::vector<std::uint32_t> place(lines_.size());  // in its file
        for (std::uint32_t line = 0; line < lines_.size(); ++line) {
            look();
            const auto& [file, number] = lines_.keys()[line];
            place[line] = static_cast<std::uint32_t>(heat_.files[file].lines.size());
            heat_.files[file].lines.push_back({number, line_sums_.heat(line), {}});
        }
        for (std::uint32_t site = 0; site < sites_.size(); ++site) {
            look();
            const auto& [line, function] = sites_.keys()[site];
            heat_.files[lines_.keys()[line].file].lines[place[line]].functions.push_back(
                {rank[function], site_sums_.heat(site)});
        }
        for (auto& file : heat_.files) {
            std::ranges::sort(file.lines, {}, &HeatLine::line);
            for (auto& line : file.lines) {
                std::ranges::sort(line.functions, [](const LineFunction& a, const LineFunction& b) {
                    return hottest(a.heat, b.heat, a.function < b.function);
                });
            }
        }
        std::ranges::sort(
            heat_.files, [](const HeatFile& a, const HeatFile& b) { return hottest(a.heat, b.heat, a.path < b.path); });
    }

    // LinesOf is the sites of a place, in sites_of_, or why there are none.
    struct LinesOf {
        std::uint32_t begin = 0, end = 0;
        NoLine why = NoLine::no_lines;
    };

    const SampleCounts& counts_;
    const Symbolizer& symbolizer_;
    const SourceHeatOptions& options_;
    const std::size_t columns_;
    unsigned steps_ = 0;
    std::array<std::vector<std::uint32_t>, 2> first_;  // by group and node: the first callee
    std::vector<std::uint32_t> next_;                  // by node: the next callee of its caller, in the same group
    EventCounts own_, below_;                          // by node and column
    InternTable<Place> places_;
    std::vector<std::array<std::uint32_t, 2>> place_of_;  // by node and group: a number in places_, or none
    std::vector<LinesOf> lines_of_;                       // by place
    std::vector<std::uint32_t> sites_of_;                 // of all places
    InternTable<Site> sites_;
    InternTable<LineOfFile> lines_;
    Numbers files_, functions_;
    std::string name_;
    Sums site_sums_, line_sums_, file_sums_;
    SourceHeat heat_;
};

}  // namespace

Result<SourceHeat> SourceHeat::make(const SampleCounts& counts, const Symbolizer& symbolizer,
                                    const SourceHeatOptions& options) {
    return catch_bad_alloc([&]() -> Result<SourceHeat> {
        try {
            if (options.stop.stop_requested()) throw HeatStopped();
            return HeatMaker(counts, symbolizer, options).make();
        } catch (const HeatStopped&) {
            return fail(ErrorCode::cancelled, Error::no_offset, "heat", "asked to stop");
        }
    });
}

std::vector<std::uint32_t> SourceHeat::files_like(std::string_view path) const {
    std::vector<std::uint32_t> best;
    std::size_t most = 1;
    for (std::uint32_t file = 0; file < files.size(); ++file) {
        const auto parts = common_parts(files[file].path, path);
        if (parts < most) continue;
        if (parts > most) best.clear();
        most = parts;
        best.push_back(file);
    }
    return best;
}

const HeatLine* SourceHeat::line(std::uint32_t file, std::uint32_t number) const {
    if (file >= files.size()) return nullptr;
    const auto& lines = files[file].lines;
    const auto found = std::ranges::lower_bound(lines, number, {}, &HeatLine::line);
    return found == lines.end() || found->line != number ? nullptr : &*found;
}

SampleCountOptions heat_counting(const Symbolizer& symbolizer, bool chains) {
    SampleCountOptions options;
    options.by_comm = false;
    options.chains = chains;
    options.jit = &symbolizer.jit();
    options.functions = &symbolizer.functions();
    options.by_name = true;
    return options;
}

}  // namespace perfdata

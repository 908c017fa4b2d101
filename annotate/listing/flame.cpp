// SPDX-License-Identifier: MIT
#include "perfdata/annotate/listing/flame.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>

#include "perfdata/profile/intern_table.hpp"
#include "perfdata/symbols/bpf/bpf_programs.hpp"

#include "format/words.hpp"

namespace perfdata {
namespace {

// Call is a place in the tree: a name below a caller.
struct Call {
    std::uint32_t caller = ChainNode::none;
    std::uint32_t name = 0;

    bool operator==(const Call&) const = default;
    std::uint64_t hash(const HashKey& key) const { return key(std::uint64_t{caller} << 32 | name); }
};

class FlameMaker {
  public:
    FlameMaker(const SampleCounts& counts, const Symbolizer& symbolizer, const FlameOptions& options)
        : counts_(counts), symbolizer_(symbolizer), options_(options), events_(counts.events().size()) {}

    Flame make() && {
        flame_.events = counts_.events();
        flame_.names.push_back({FlameRole::all, {}, {}, CodeClass::unknown, {}, false});
        flame_.names.push_back({FlameRole::smaller, {}, {}, CodeClass::unknown, {}, false});
        for (const auto& frame : counts_.frames()) name_of_frame_.push_back(name_of(frame));
        call({});
        add_rows();
        add_up();
        choose_limit();
        lay_out();
        return std::move(flame_);
    }

  private:
    static constexpr std::uint32_t smaller_name = 1;

    std::uint32_t add_name(FlameName name) {
        flame_.names.push_back(std::move(name));
        return static_cast<std::uint32_t>(flame_.names.size() - 1);
    }

    // Frames without a symbol differ only by object.
    std::uint32_t name_of(const Frame& frame) {
        const auto name = symbolizer_.name(frame);
        auto& known = code_names_[{name.symbol, name.object, name.kind, name.inlined}];
        if (known == 0) {
            const bool has_function = !name.symbol.empty() && !name.inlined;
            known = add_name({FlameRole::code, best_name(frame, name), std::string(name.object), name.kind,
                              has_function ? symbolizer_.function(frame) : Frame{}, name.inlined});
        }
        return known;
    }

    // For BPF code the names in the source are better than the kernel's.
    std::string best_name(const Frame& frame, const FrameName& name) const {
        if (!frame.is_code() || name.kind != CodeClass::bpf) return std::string(name.symbol);
        return symbolizer_.bpf().plain_name(frame.index).full();
    }

    std::uint32_t name_of(const SampledTask& task) {
        auto text = comm_text(task.comm, task.tid);
        auto& known = task_names_[text];
        if (known == 0) known = add_name({FlameRole::task, std::move(text), {}, CodeClass::unknown, {}, false});
        return known;
    }

    std::uint32_t call(const Call& of) {
        const auto number = calls_.intern(of);
        if (number == depth_.size()) {
            depth_.push_back(of.caller == ChainNode::none ? 0 : depth_[of.caller] + 1);
            cells_.resize(cells_.size() + events_);
        }
        return number;
    }

    void add_rows() {
        const auto rows = counts_.rows();
        const auto chains = counts_.chains();
        std::vector<std::uint32_t> order(rows.size());
        std::iota(order.begin(), order.end(), 0u);
        std::ranges::stable_sort(order, {}, [&](std::uint32_t row) { return rows[row].task; });
        // Chains share their callers, and so the path to them, as long as the task is the same.
        std::vector<std::uint32_t> task_of(chains.size(), ChainNode::none);
        std::vector<std::uint32_t> call_of(chains.size());
        std::vector<bool> is_deep(chains.size());
        std::vector<std::uint32_t> path;
        for (const auto number : order) {
            const auto& row = rows[number];
            path.clear();
            auto node = row.chain;
            for (; node != ChainNode::none && task_of[node] != row.task; node = chains[node].caller) {
                path.push_back(node);
            }
            auto at = node == ChainNode::none ? call({0, name_of(counts_.tasks()[row.task])}) : call_of[node];
            bool deep = node != ChainNode::none && is_deep[node];
            for (; !path.empty(); path.pop_back()) {
                node = path.back();
                const bool called = chains[node].caller != ChainNode::none;
                if (called && !counts_.frames()[chains[node].frame].is_inlined()) flame_.chains = true;
                deep = depth_[at] >= options_.most_depth;
                if (!deep) at = call({at, name_of_frame_[chains[node].frame]});
                task_of[node] = row.task;
                call_of[node] = at;
                is_deep[node] = deep;
            }
            const auto cells = counts_.cells(number);
            if (deep) flame_.deep = add_up_to_most(flame_.deep, hits(cells));
            for (std::size_t event = 0; event < events_; ++event) cells_[at * events_ + event] += cells[event];
        }
    }

    // Callers were created before their callees.
    void add_up() {
        for (auto number = static_cast<std::uint32_t>(calls_.size()); number-- > 1;) {
            const auto caller = calls_[number].caller;
            for (std::size_t event = 0; event < events_; ++event) {
                cells_[caller * events_ + event] += cells_[number * events_ + event];
            }
        }
    }

    std::span<const EventCount> cells(std::uint32_t number) const {
        return std::span(cells_).subspan(number * events_, events_);
    }

    double percent(std::uint32_t number) const {
        double most = 0;
        for (std::size_t event = 0; event < events_; ++event) {
            most = std::max(most, share(cells(number)[event].hits, cells(0)[event].hits));
        }
        return most;
    }

    // Chooses the nodes to draw: the largest, of equal ones those nearest to the root. A caller is at least as large as
    // what it calls, so that the callers of a chosen node are chosen, too.
    void choose_limit() {
        std::vector<double> percents;
        for (std::uint32_t number = 0; number < calls_.size(); ++number) percents.push_back(percent(number));
        flame_.least_percent = options_.least_percent;
        chosen_.assign(calls_.size(), true);
        std::vector<std::uint32_t> order(calls_.size());
        std::iota(order.begin(), order.end(), 0u);
        std::erase_if(order, [&](std::uint32_t number) {
            if (number == 0 || percents[number] >= flame_.least_percent) return false;
            chosen_[number] = false;
            return true;
        });
        const auto most = std::max<std::size_t>(1, options_.most_nodes);
        if (order.size() <= most) return;
        const auto begin = order.begin() + static_cast<std::ptrdiff_t>(most);
        std::ranges::nth_element(order, begin, {}, [&](std::uint32_t number) {
            return std::tuple(-percents[number], depth_[number], number);
        });
        flame_.least_percent = percents[*begin];
        for (const auto number : std::span(begin, order.end())) chosen_[number] = false;
        flame_.cut_deepest = std::any_of(
            order.begin(), begin, [&](std::uint32_t number) { return percents[number] == flame_.least_percent; });
        // Then there is a limit that leaves out just the others.
        if (!flame_.cut_deepest) {
            flame_.least_percent = std::nextafter(flame_.least_percent, std::numeric_limits<double>::infinity());
        }
    }

    void lay_out() {
        std::vector<std::vector<std::uint32_t>> callees(calls_.size());
        for (std::uint32_t number = 1; number < calls_.size(); ++number) {
            callees[calls_[number].caller].push_back(number);
        }
        std::vector<std::uint32_t> stack{0};
        std::map<std::uint32_t, FlameNode> smaller;  // by caller: written after all its other callees
        while (!stack.empty()) {
            const auto number = stack.back();
            stack.pop_back();
            if (number >= calls_.size()) {
                flame_.nodes.push_back(std::move(smaller.at(number - static_cast<std::uint32_t>(calls_.size()))));
                continue;
            }
            flame_.nodes.push_back(
                {calls_[number].name, depth_[number], 0, EventCounts(cells(number).begin(), cells(number).end())});
            auto& below = callees[number];
            FlameNode rest{smaller_name, depth_[number] + 1, 0, EventCounts(events_)};
            std::erase_if(below, [&](std::uint32_t callee) {
                if (chosen_[callee]) return false;
                ++rest.smaller;
                add(rest.cells, cells(callee));
                return true;
            });
            if (rest.smaller != 0) {
                smaller.emplace(number, std::move(rest));
                stack.push_back(number + static_cast<std::uint32_t>(calls_.size()));
            }
            std::ranges::sort(below, [&](std::uint32_t a, std::uint32_t b) { return before(a, b); });
            stack.insert(stack.end(), below.rbegin(), below.rend());
        }
    }

    // Sibling order: most hits first, ties always in the same order.
    bool before(std::uint32_t a, std::uint32_t b) const {
        const auto& one = flame_.names[calls_[a].name];
        const auto& other = flame_.names[calls_[b].name];
        const auto key = [](const FlameName& name) {
            return std::tuple(std::string_view(name.symbol), std::string_view(name.object), name.kind, name.inlined);
        };
        return std::pair(hits(cells(b)), key(one)) < std::pair(hits(cells(a)), key(other));
    }

    const SampleCounts& counts_;
    const Symbolizer& symbolizer_;
    const FlameOptions& options_;
    std::size_t events_;
    Flame flame_;
    std::map<std::tuple<std::string_view, std::string_view, CodeClass, bool>, std::uint32_t> code_names_;
    std::map<std::string, std::uint32_t> task_names_;
    std::vector<std::uint32_t> name_of_frame_;
    InternTable<Call> calls_;
    std::vector<std::uint32_t> depth_;  // by call
    std::vector<EventCount> cells_;     // by call and event
    std::vector<bool> chosen_;          // by call
};

}  // namespace

Flame Flame::make(const SampleCounts& counts, const Symbolizer& symbolizer, const FlameOptions& options) {
    return FlameMaker(counts, symbolizer, options).make();
}

SampleCountOptions flame_counting(const Symbolizer& symbolizer, bool chains) {
    SampleCountOptions options;
    options.chains = chains;
    options.jit = &symbolizer.jit();
    options.fold = [&symbolizer](const Frame& frame) { return symbolizer.function(frame); };
    options.functions = &symbolizer.functions();
    options.by_name = true;
    return options;
}

}  // namespace perfdata

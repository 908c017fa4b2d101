// SPDX-License-Identifier: MIT
#include <algorithm>
#include <functional>
#include <span>

#include "perfdata/profile/chain_table.hpp"
#include "perfdata/recording/deferred_chains.hpp"
#include "perfdata/timeline/function_index.hpp"

#include "plain_loops.hpp"
#include "plain_parts.hpp"

namespace perfdata::bench {
namespace {

// ChainVisitor makes one tree of all chains, outermost first, and counts its nodes for each task.
class ChainVisitor {
  public:
    static constexpr bool samples_only = true;

    explicit ChainVisitor(const Opened& opened) : opened_(opened), comms_(opened.timeline) {}

    template <class Order>
    void operator()(const RecordContext& context, const BasicSample<Order>& sample) {
        const Moment moment{context.time, sample.pid().value_or(Pid{}), host};
        const auto comm = comms_.of(sample.tid().value_or(Tid{}), context.time);
        chain_.clear();
        auto before = CpuMode::unknown;
        const auto add = [&](Address address, CpuMode mode) {
            const bool returns = !chain_.empty() && mode == before;
            before = mode;
            chain_.push_back({number(moment, address, mode), returns});
        };
        const auto ip = sample.ip();
        if (ip) add(*ip, sample.mode());
        bool first = true;
        for_each_frame(sample, no_deferred_, [&](Address address, CpuMode mode) {
            if (!std::exchange(first, false) || ip != address) add(address, mode);
            return true;
        });
        // Outermost first: a sample often shares outer callers with the one before it.
        auto node = none;
        bool same = true;
        std::size_t depth = 0;
        const auto enter = [&](std::uint32_t function) {
            same = same && depth < last_.size() && last_[depth].function == function;
            if (!same) {
                last_.resize(depth);
                last_.push_back({function, nodes_.intern({node, function})});
            }
            node = last_[depth++].node;
        };
        for (auto at = chain_.size(); at-- > 0;) {
            const auto& [frame, returns] = chain_[at];
            const auto& known = known_[frame];
            enter(known.function);
            for (const auto inlined : known.inlined[returns ? 1 : 0]) enter(inlined);
        }
        count(comm, node, sample.period());
        ++samples_;
    }

    PlainSums write(bool children) {
        find_callees();
        labels_.resize(functions_.size());
        std::vector<std::vector<std::uint32_t>> rows_of(comms_.size());
        for (std::uint32_t at = 0; at < periods_.size(); ++at) rows_of[rows_[at].one].push_back(at);
        for (std::uint32_t comm = 0; comm < comms_.size(); ++comm) add_rows(comm, rows_of[comm], children);
        const auto shown = [&](const Shown& row) { return children ? row.whole : row.self; };
        std::ranges::sort(shown_, std::ranges::greater(), shown);
        for (const auto& row : shown_) {
            const auto& label = label_at(row.function);
            if (children) {
                page_.line("{:9.2f}% {:9.2f}%  {:<16}  {:<30}  {}", percent(row.whole), percent(row.self),
                           comms_.name(row.comm), label.object, label.symbol);
            } else {
                page_.line("{:9.2f}%  {:<16}  {:<30}  {}", percent(row.self), comms_.name(row.comm), label.object,
                           label.symbol);
            }
            page_.text() += row.tree;
        }
        page_.flush();
        return {samples_, shown_.size(), page_.lines()};
    }

  private:
    struct Known {
        std::uint32_t function = 0;
        std::vector<std::uint32_t> inlined[2];  // outermost first: as interrupted, and as returned to
    };
    struct Shown {
        std::uint32_t comm = 0, function = 0;
        std::uint64_t whole = 0, self = 0;
        std::string tree = {};
    };
    struct Recent {
        Address address;
        std::uint32_t number = none;
    };

    void count(std::uint32_t comm, std::uint32_t node, std::uint64_t period) {
        all_ += period;
        if (first_.size() <= node) first_.resize(std::max<std::size_t>(node + 1, 2 * first_.size()));
        auto& first = first_[node];
        const auto append = [&] {
            rows_.push_back({comm, node});
            periods_.push_back(0);
            return static_cast<std::uint32_t>(rows_.size() - 1);
        };
        auto row = first.row;
        if (row == none) {
            row = append();
            first = {comm, row};
        } else if (first.comm != comm) {
            const auto other = others_.intern({comm, node});
            if (other == row_of_other_.size()) row_of_other_.push_back(append());
            row = row_of_other_[other];
        }
        periods_[row] += period;
    }

    std::uint32_t number(const Moment& moment, Address address, CpuMode mode) {
        constexpr std::uint64_t spread = 0x9e3779b97f4a7c15;
        auto& recent = kernel_[address.value * spread >> 50];
        if (mode == CpuMode::kernel && recent.number != none && recent.address == address) return recent.number;
        const auto frame = frame_at(opened_.timeline, nullptr, moment, address, mode, &comms_.recent());
        const auto number = frames_.intern(frame);
        if (number == known_.size()) {
            known_.push_back({functions_.intern(opened_.symbolizer.function(frame)), {}});
            for (const bool returns : {false, true}) {
                calls_.clear();
                opened_.symbolizer.functions().add_inlined(frame, returns, calls_);
                for (const auto& call : calls_)
                    known_.back().inlined[returns ? 1 : 0].push_back(functions_.intern(call));
            }
        }
        if (mode == CpuMode::kernel) recent = {address, number};
        return number;
    }

    double percent(std::uint64_t periods) const {
        return 100.0 * static_cast<double>(periods) / static_cast<double>(all_);
    }
    const Label& label_at(std::uint32_t function) {
        auto& label = labels_[function];
        if (label.symbol.empty()) label = label_of(opened_.symbolizer, functions_[function]);
        return label;
    }

    void find_callees() {
        const auto nodes = nodes_.nodes();
        begin_.assign(nodes.size() + 2, 0);
        for (const auto& node : nodes) ++begin_[node.caller == none ? 1 : node.caller + 2];
        for (std::size_t at = 1; at < begin_.size(); ++at) begin_[at] += begin_[at - 1];
        callees_.resize(nodes.size());
        auto next = begin_;
        for (std::uint32_t at = 0; at < nodes.size(); ++at)
            callees_[next[nodes[at].caller == none ? 0 : nodes[at].caller + 1]++] = at;
        self_.assign(nodes.size(), 0);
        whole_.assign(nodes.size(), 0);
    }
    std::span<const std::uint32_t> callees(std::uint32_t node) const {
        const auto at = node == none ? 0 : node + 1;
        return std::span(callees_).subspan(begin_[at], begin_[at + 1] - begin_[at]);
    }

    // The rows of one task, with their trees.
    void add_rows(std::uint32_t comm, const std::vector<std::uint32_t>& rows, bool children) {
        const auto nodes = nodes_.nodes();
        std::vector<std::uint32_t> touched;
        for (const auto row : rows) {
            self_[rows_[row].other] += periods_[row];
            for (auto at = rows_[row].other; at != none; at = nodes[at].caller) {
                if (whole_[at] == 0) touched.push_back(at);
                whole_[at] += periods_[row];
            }
        }
        std::map<std::uint32_t, std::vector<std::uint32_t>>
            nodes_of;  // by function; of callees those outside of others
        std::map<std::uint32_t, Shown> shown;
        std::vector<std::uint32_t> active(functions_.size());
        for (const auto node : touched) {
            if (self_[node] == 0) continue;
            auto& row = shown[nodes[node].frame];
            row.self += self_[node];
            if (!children) nodes_of[nodes[node].frame].push_back(node);
        }
        if (children) {
            std::vector<std::pair<std::uint32_t, bool>> todo;
            for (const auto root : callees(none)) todo.emplace_back(root, true);
            while (!todo.empty()) {
                const auto [node, enters] = todo.back();
                todo.pop_back();
                const auto function = nodes[node].frame;
                if (!enters) {
                    --active[function];
                    continue;
                }
                if (whole_[node] == 0) continue;
                if (active[function]++ == 0) {
                    shown[function].whole += whole_[node];
                    nodes_of[function].push_back(node);
                }
                todo.emplace_back(node, false);
                for (const auto callee : callees(node)) todo.emplace_back(callee, true);
            }
        }
        for (auto& [function, row] : shown) {
            row.comm = comm;
            row.function = function;
            const auto periods = children ? row.whole : row.self;
            if (is_shown(periods)) {
                if (children) {
                    grow(nodes_of[function], 1, row.tree);
                } else {
                    std::vector<Up> ups;
                    for (const auto node : nodes_of[function]) ups.push_back({none, nodes[node].caller, self_[node]});
                    grow_up(ups, 1, row.tree);
                }
            }
            shown_.push_back(std::move(row));
        }
        for (const auto node : touched) self_[node] = whole_[node] = 0;
    }

    bool is_shown(std::uint64_t periods) const { return periods * 200 >= all_; }

    void branch(std::string& tree, std::size_t depth, std::uint64_t periods, std::uint32_t function) {
        fmt::format_to(std::back_inserter(tree), "{:{}}|--{:.2f}%--{}\n", "", 12 + 11 * depth, percent(periods),
                       std::string_view(label_at(function).symbol).substr(4));
    }

    // Callees of nodes, by function.
    void grow(const std::vector<std::uint32_t>& nodes, std::size_t depth, std::string& tree) {
        std::vector<std::pair<std::uint32_t, std::uint32_t>> below;
        for (const auto node : nodes) {
            for (const auto callee : callees(node)) {
                if (whole_[callee] != 0) below.emplace_back(nodes_.nodes()[callee].frame, callee);
            }
        }
        std::ranges::sort(below);
        struct Group {
            std::uint64_t periods = 0;
            std::size_t begin = 0, end = 0;
        };
        std::vector<Group> groups;
        for (std::size_t at = 0; at < below.size();) {
            Group group{0, at, at};
            for (; group.end < below.size() && below[group.end].first == below[at].first; ++group.end) {
                group.periods += whole_[below[group.end].second];
            }
            at = group.end;
            if (is_shown(group.periods)) groups.push_back(group);
        }
        std::ranges::stable_sort(groups, std::ranges::greater(), &Group::periods);
        std::vector<std::uint32_t> inner;
        for (const auto& group : groups) {
            branch(tree, depth, group.periods, below[group.begin].first);
            inner.clear();
            for (auto at = group.begin; at < group.end; ++at) inner.push_back(below[at].second);
            grow(inner, depth + 1, tree);
        }
    }

    // Callers of nodes, by function.
    struct Up {
        std::uint32_t function, node;
        std::uint64_t periods;
    };
    void grow_up(std::vector<Up> ups, std::size_t depth, std::string& tree) {
        std::erase_if(ups, [](const Up& up) { return up.node == none; });
        for (auto& up : ups) up.function = nodes_.nodes()[up.node].frame;
        std::ranges::stable_sort(ups, {}, &Up::function);
        std::vector<std::pair<std::uint64_t, std::vector<Up>>> groups;
        for (std::size_t at = 0; at < ups.size();) {
            std::pair<std::uint64_t, std::vector<Up>> group;
            const auto function = ups[at].function;
            for (; at < ups.size() && ups[at].function == function; ++at) {
                group.first += ups[at].periods;
                group.second.push_back({function, nodes_.nodes()[ups[at].node].caller, ups[at].periods});
            }
            if (is_shown(group.first)) groups.push_back(std::move(group));
        }
        std::ranges::stable_sort(groups, std::ranges::greater(), [](const auto& group) { return group.first; });
        for (auto& [periods, inner] : groups) {
            branch(tree, depth, periods, inner.front().function);
            grow_up(std::move(inner), depth + 1, tree);
        }
    }

    const Opened& opened_;
    Comms comms_;
    const DeferredChains no_deferred_;
    std::vector<Recent> kernel_ = std::vector<Recent>(std::size_t{1} << 14);
    InternTable<Frame> frames_, functions_;
    std::vector<Known> known_;                           // by frame
    std::vector<std::pair<std::uint32_t, bool>> chain_;  // of this sample: frames, and whether a call returns there
    std::vector<Frame> calls_;
    ChainTable nodes_;  // `frame` is the number of a function
    struct Last {
        std::uint32_t function = 0, node = 0;
    };
    std::vector<Last> last_;  // chain, outermost first
    std::vector<Two> rows_;   // task and node
    struct First {
        std::uint32_t comm = 0, row = none;
    };
    std::vector<First> first_;                 // row by node: most have one task
    InternTable<Two> others_;                  // rows that are not the first of their node
    std::vector<std::uint32_t> row_of_other_;  // by number in others_
    std::vector<std::uint64_t> periods_;       // by row
    std::uint64_t all_ = 0, samples_ = 0;
    std::vector<std::uint32_t> begin_, callees_;
    std::vector<std::uint64_t> self_, whole_;  // of one task, by node
    std::vector<Label> labels_;
    std::vector<Shown> shown_;
    Page page_;
};

}  // namespace

PlainSums plain_children(const PlainInput& input) {
    const Opened opened(input.path);
    ChainVisitor visitor(opened);
    opened.walk_with(visitor);
    return visitor.write(true);
}
PlainSums plain_no_children(const PlainInput& input) {
    const Opened opened(input.path);
    ChainVisitor visitor(opened);
    opened.walk_with(visitor);
    return visitor.write(false);
}

}  // namespace perfdata::bench

// SPDX-License-Identifier: MIT
#include "stored_counter.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "perfdata/profile/call_filter.hpp"

#include "counted_rows.hpp"
#include "frame_numbers.hpp"
#include "recording/look_out.hpp"
#include "recording/stored/model.hpp"
#include "stored_tasks.hpp"
#include "timeline/stored_cgroups.hpp"
#include "timeline/stored_frames.hpp"

namespace perfdata {
namespace {

// StoredCounter takes the cells in the order in which the recording had them. The first sample of each cell met tasks,
// frames and chains in the same order: so everything gets the number that it would have of the recording.
//
// Chains share the work for their callers: each node of the profile is followed once, and once more for each cell whose
// chain is cut. So time and memory are linear in the profile, and in what is inlined (see FrameNumbers::note_chain()).
class StoredCounter {
  public:
    StoredCounter(const Recording& profile, const Timeline& timeline, const SampleCountOptions& options)
        : model_(*profile.stored()),
          options_(options),
          counted_(profile, timeline, options),
          numbers_(options, counted_, inlined_of(options)),
          frames_(model_),
          tasks_(model_),
          number_of_(model_.frames.size(), none),
          callers_(model_.nodes.size()) {
        depth_.reserve(model_.nodes.size());
        for (const auto& node : model_.nodes) depth_.push_back(node.caller ? depth_[node.caller.number] + 1 : 1);
        if (options.only_calls != nullptr) find_wanted(*options.only_calls);
        // A profile that was cut at fewer frames has no more of them.
        cuts_ = options.max_stack < model_.facts.max_stack;
    }

    // Returns nothing if it was asked to stop.
    std::optional<SampleCounts> count() {
        const auto total = model_.facts.bytes_total;
        LookOut look({options_.stop, options_.progress}, total);
        std::vector<std::uint32_t> order(model_.cells.size());
        std::iota(order.begin(), order.end(), 0u);
        std::ranges::sort(order, {},
                          look.by([&](std::uint32_t cell) { return std::pair(model_.cells[cell].order, cell); }));
        constexpr std::size_t cells_a_look = 4096;
        for (std::size_t at = 0; at < order.size(); ++at) {
            if (at % cells_a_look == 0) {
                if (options_.stop.stop_requested()) return {};
                tell(total / order.size() * at, total);
            }
            take(model_.cells[order[at]]);
            if (numbers_.stopped()) return {};
        }
        tell(total, total);
        add_times();
        add_losses();
        const auto& facts = model_.facts;
        return std::move(counted_).finish(options_,
                                          {facts.counters_unknown, facts.counters_went_back, facts.counters_not_kept});
    }

  private:
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    FrameNumbers::AddInlined inlined_of(const SampleCountOptions& options) {
        if (!options.chains || !options.inlines || options.functions == nullptr) return {};
        return [this](std::uint32_t unfolded, bool returns, std::vector<Frame>& calls) {
            if (unfolded >= row_of_.size() || row_of_[unfolded] == none) return;
            const auto& row = model_.frames[row_of_[unfolded]];
            for (const auto call : returns ? row.inlined_at_return : row.inlined) {
                calls.push_back(frames_.inlined(call, row.mode.as<CpuMode>()));
            }
        };
    }

    void tell(std::uint64_t read, std::uint64_t total) {
        numbers_.note_progress(read, total);
        if (options_.progress) options_.progress(read, total);
    }

    // Finds the chains that have a frame in one of the functions.
    void find_wanted(const CallFilter& filter) {
        std::vector<bool> holds;
        holds.reserve(model_.frames.size());
        for (const auto& row : model_.frames) holds.push_back(filter.may_hold_frame(frames_.frame(row)));
        wanted_.reserve(model_.nodes.size());
        for (const auto& node : model_.nodes) {
            wanted_.push_back(holds[node.frame.number] || (node.caller && wanted_[node.caller.number]));
        }
    }

    void take(const stored::Cell& cell) {
        const auto column = counted_.column(cell.event.number);
        if (column == CountedRows::not_counted) return;
        if (options_.only_calls != nullptr && !wanted_[cell.node.number]) return;
        const EventCount count{cell.hits, cell.periods};
        const auto& filter = options_.filter;
        if (counted_.drop(tasks_.drop_moment(filter, cell.task), column, count)) return;
        counted_.consider(column, count);
        if (counted_.drop(tasks_.drop_task(filter, cell.task), column, count)) return;
        if (counted_.drop(drop_code(cell.node), column, count)) return;
        counted_.count(column, count);
        const auto who = counted_.task(tasks_.task(options_, cell.task), cell.hits);
        const auto node = options_.chains ? chain(cell) : place(cell.node);
        counted_.rows().add(counted_.row({who, node}), column, count);
    }

    FilterPart drop_code(stored::Ref<stored::Node> node) {
        if (options_.filter.code.empty() || options_.functions == nullptr) return FilterPart::none;
        return numbers_.left_out(number_of(model_.at(node).frame));
    }

    // number_of(frame) returns its number in numbers_.
    std::uint32_t number_of(stored::Ref<stored::Frame> of) {
        auto& number = number_of_[of.number];
        if (number != none) return number;
        auto frame = frames_.frame(model_.at(of));
        if (options_.versions == nullptr) frame.version = 0;
        number = numbers_.unfolded(frame);
        if (number >= row_of_.size()) row_of_.resize(numbers_.size(), none);
        if (row_of_[number] == none && numbers_[number] == frame) row_of_[number] = of.number;
        return number;
    }

    // Without chains: the sampled frame alone.
    std::uint32_t place(stored::Ref<stored::Node> node) {
        return counted_.chains().intern({ChainNode::none, numbers_.folded(number_of(model_.at(node).frame))});
    }

    // Followed is what a chain of callers became.
    struct Followed {
        std::uint32_t node = none;  // in the counts; none: not followed yet
        std::uint32_t nodes = 0;    // how many it has there
        bool folded = false;        // without some inlined functions
    };

    // Returns the number of the cell's chain in the counts.
    std::uint32_t chain(const stored::Cell& cell) {
        auto& chains = counted_.chains();
        auto& losses = counted_.losses();
        const auto& sampled = model_.at(cell.node);
        std::size_t callers = depth_[cell.node.number] - std::size_t{1};
        const std::size_t most = options_.max_stack == 0 ? 0 : options_.max_stack - std::size_t{1};
        const bool deep = cuts_ && callers > most;
        if (deep) {
            losses.deep = add_up_to_most(losses.deep, cell.hits);
            callers = most;
        }
        if (chains.size() + callers > counted_.most_nodes()) {
            if (callers != 0) losses.cut = add_up_to_most(losses.cut, cell.hits);
            callers = 0;
        }
        const auto before = chains.size();
        // A part of a chain is not what its nodes became.
        const bool whole = callers + 1 == depth_[cell.node.number];
        Followed above{ChainNode::none, 0, false};
        path_.clear();
        for (auto node = sampled.caller; path_.size() < callers; node = model_.at(node).caller) {
            if (whole && callers_[node.number].node != none) {
                above = callers_[node.number];
                break;
            }
            path_.push_back(node.number);
        }
        for (auto at = path_.size(); at-- > 0;) {
            above = follow(above, model_.nodes[path_[at]], at);
            if (whole) callers_[path_[at]] = above;
        }
        const auto unfolded = number_of(sampled.frame);
        numbers_.begin_chain();
        auto node = chains.intern({above.node, numbers_.folded(unfolded)});
        for (auto inlined = numbers_.inlined_path(unfolded, false, above.nodes + std::size_t{1}, 0); inlined-- > 0;) {
            node = chains.intern({node, numbers_.path()[inlined]});
        }
        if (above.folded || numbers_.path_folded()) losses.folded = add_up_to_most(losses.folded, cell.hits);
        // Each sample of a recording makes room for as much.
        constexpr std::uint64_t samples = 4;
        numbers_.note_chain((callers + 1) * static_cast<std::size_t>(std::min(cell.hits, samples)),
                            chains.size() - before);
        return node;
    }

    // Adds a caller, and what is inlined there, below the chain of its own callers. So many nodes are to come.
    Followed follow(Followed above, const stored::Node& node, std::size_t nodes_to_come) {
        auto& chains = counted_.chains();
        const auto unfolded = number_of(node.frame);
        auto number = numbers_.caller(unfolded);
        if (options_.mark_returns && node.returns) number |= ChainNode::returns_mark;
        numbers_.begin_chain();
        above.node = chains.intern({above.node, number});
        ++above.nodes;
        for (auto inlined = numbers_.inlined_path(unfolded, node.returns, above.nodes, nodes_to_come); inlined-- > 0;) {
            above.node = chains.intern({above.node, numbers_.path()[inlined]});
            ++above.nodes;
        }
        above.folded = above.folded || numbers_.path_folded();
        return above;
    }

    // Times are those of all samples of an event.
    void add_times() {
        if (counted_.any_dropped() || options_.only_calls != nullptr) return;
        for (std::uint32_t at = 0; at < model_.events.size(); ++at) {
            const auto& event = model_.events[at];
            const bool known = event.from_zero || event.first_time != 0;
            if (!known || counted_.column(at) == CountedRows::not_counted) continue;
            counted_.note_time(Time{event.first_time});
            counted_.note_time(Time{event.last_time});
        }
    }

    void add_losses() {
        if (!options_.chains) return;
        const auto& facts = model_.facts;
        auto& losses = counted_.losses();
        losses.cut += facts.chains_cut;
        losses.broken = facts.chains_broken;
        // Those that are deeper than the profile are among those that were cut now.
        if (!cuts_) losses.deep = facts.chains_deep;
        losses.folded += facts.chains_folded;
        losses.stacks = UnwoundStacks::restored(model_);
    }

    const stored::Model& model_;
    const SampleCountOptions& options_;
    CountedRows counted_;
    FrameNumbers numbers_;
    StoredFrames frames_;
    StoredTasks tasks_;
    bool cuts_ = false;                     // chains are cut, once more
    std::vector<std::uint32_t> depth_;      // by node: of its chain
    std::vector<bool> wanted_;              // by node; empty: all are
    std::vector<std::uint32_t> number_of_;  // by frame of the model: its number in numbers_, or none
    std::vector<std::uint32_t> row_of_;     // by that: a frame of the model, or none
    std::vector<Followed> callers_;         // by node
    std::vector<std::uint32_t> path_;       // nodes of the current chain, innermost first
};

}  // namespace

Result<SampleCounts> count_stored(const Recording& profile, const Timeline& timeline,
                                  const SampleCountOptions& options) {
    const auto refuse = [&](const char* what) {
        return fail(ErrorCode::unsupported, Error::no_offset, profile.path(),
                    std::string("a profile has no ") + what + ": read the recording");
    };
    if (!options.filter.times.empty()) return refuse("times of samples");
    if (options.filter.payload) return refuse("payload of samples");
    if (options.each || options.label) return refuse("single samples");
    const auto stopped = [] { return fail(ErrorCode::cancelled, Error::no_offset, "counts", "asked to stop"); };
    try {
        auto counts = StoredCounter(profile, timeline, options).count();
        if (!counts) return stopped();
        return std::move(*counts);
    } catch (const Stopped&) {
        return stopped();
    }
}

}  // namespace perfdata

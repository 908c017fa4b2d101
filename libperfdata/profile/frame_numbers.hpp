// SPDX-License-Identifier: MIT
// Frames of chains: as they were found, and as they count.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "perfdata/profile/chain_table.hpp"
#include "perfdata/profile/intern_table.hpp"
#include "perfdata/profile/sample_counts.hpp"
#include "perfdata/timeline/function_index.hpp"

#include "counted_rows.hpp"

namespace perfdata {

// FrameNumbers numbers distinct frames ("unfolded"), and has their numbers in the counts: folded as the options say, or
// as they are. Each is folded, named, and asked for what is inlined there, once.
class FrameNumbers {
  public:
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    // AddInlined adds what is inlined at an unfolded frame, as FunctionIndex::add_inlined() does.
    using AddInlined = std::function<void(std::uint32_t unfolded, bool returns, std::vector<Frame>& calls)>;

    // Options and rows must outlive it. add_inlined: empty if inlined functions do not count.
    FrameNumbers(const SampleCountOptions& options, CountedRows& rows, AddInlined add_inlined)
        : options_(options), rows_(rows), add_inlined_(std::move(add_inlined)) {}

    std::size_t size() const { return unfolded_.size(); }
    const Frame& operator[](std::uint32_t unfolded) const { return unfolded_[unfolded]; }
    std::uint64_t hash(const Frame& frame) const { return unfolded_.hash(frame); }
    void prefetch(std::uint64_t hash) const { unfolded_.prefetch(hash); }
    void prefetch_key(std::uint64_t hash) const { unfolded_.prefetch_key(hash); }
    // unfolded(frame) returns its number; beyond the limit that of Miss::not_kept.
    std::uint32_t unfolded(const Frame& frame) { return unfolded(frame, unfolded_.hash(frame)); }
    std::uint32_t unfolded(const Frame& frame, std::uint64_t hash) {
        return unfolded_.intern_within(rows_.most_frames(), frame, hash,
                                       Frame::nowhere({}, Miss::not_kept, frame.mode));
    }

    // folded(unfolded) returns the number of the folded frame in the counts.
    std::uint32_t folded(std::uint32_t number) {
        if (number < folded_.size() && is_known(folded_[number])) [[likely]] {
            return folded_[number];
        }
        return find_folded(number);
    }
    // prepare(unfolded, caller) finds the frame that folded() or caller() will number, and fetches the memory for that.
    // What was prepared must be numbered before forget_prepared().
    void prepare(std::uint32_t number, bool caller) {
        if (caller && !options_.fold_callers) return;
        if (number >= folded_.size()) folded_.resize(unfolded_.size(), none);
        if (folded_[number] != none || prepared_.size() == most_prepared) return;
        const auto frame = folded_frame(unfolded_[number]);
        const auto hash = rows_.frames().hash(frame);
        rows_.frames().prefetch(hash);
        folded_[number] = first_prepared + static_cast<std::uint32_t>(prepared_.size());
        prepared_.push_back({frame, hash});
    }
    void prefetch_prepared() const {
        for (const auto& one : prepared_) rows_.frames().prefetch_key(one.hash);
    }
    void forget_prepared() { prepared_.clear(); }
    // caller(unfolded) returns the number of a caller in the counts: folded if callers are.
    std::uint32_t caller(std::uint32_t number) {
        if (options_.fold_callers) return folded(number);
        if (is_kept(number)) [[likely]] {
            return kept_[number];
        }
        return find_kept(number);
    }

    // known_folded(unfolded) and known_caller(unfolded) return what the functions above do, or `none` if that is not
    // known yet.
    std::uint32_t known_folded(std::uint32_t number) const {
        return number < folded_.size() && is_known(folded_[number]) ? folded_[number] : none;
    }
    std::uint32_t known_caller(std::uint32_t number) const {
        if (options_.fold_callers) return known_folded(number);
        return number < kept_.size() ? kept_[number] : none;
    }

    // left_out(unfolded) returns the part of the filter that leaves out code there.
    FilterPart left_out(std::uint32_t number) {
        if (number >= left_out_.size()) left_out_.resize(unfolded_.size(), not_asked);
        auto& part = left_out_[number];
        if (part == not_asked && !load(unfolded_[number], CodeDetail::names)) return FilterPart::none;
        if (part == not_asked) {
            part = static_cast<std::uint8_t>(options_.functions->left_out(unfolded_[number], options_.filter.code));
        }
        return filter_part(CodePart{part});
    }

    // Finds what is inlined at an unfolded frame: the first so many of path(), innermost first. Leaves it out if there
    // is no room for it in the chain, which has so many nodes up to the frame, or in the table, for it and for the
    // nodes to come, or if inlined functions have too many nodes for what was recorded.
    std::size_t inlined_path(std::uint32_t unfolded, bool returns, std::size_t nodes, std::size_t nodes_to_come) {
        const auto& known = inlined_at_[returns ? 1 : 0];
        auto inlined = unfolded < known.size() ? known[unfolded] : none;
        if (inlined == none) return 0;
        inlined_path_.clear();
        for (; inlined != none; inlined = inlined_.nodes()[inlined].caller) {
            inlined_path_.push_back(inlined_.nodes()[inlined].frame);
        }
        const auto more = inlined_path_.size() + nodes_to_come;
        if (nodes + more <= SampleCounts::most_with_inlined) {
            if (rows_.chains().size() + more < rows_.most_nodes() && inlined_path_.size() <= inlined_left_) {
                return inlined_path_.size();
            }
            budget_.reached = true;
        }
        path_folded_ = true;
        return 0;
    }
    const std::vector<std::uint32_t>& path() const { return inlined_path_; }
    // Returns whether inlined_path() would leave nothing out at any frame of a chain: its frames have at most `longest`
    // inlined functions each, and before them are up to `nodes` nodes and, with those to come, so many frames.
    bool has_room(std::size_t longest, std::size_t nodes, std::size_t frames) const {
        return nodes + longest + frames <= SampleCounts::most_with_inlined &&
               rows_.chains().size() + longest + frames < rows_.most_nodes() && longest <= inlined_left_;
    }
    // has_inlined() returns false if nothing is inlined anywhere so far.
    bool has_inlined() const { return inlined_.size() != 0; }
    // path_folded() is whether inlined_path() left something out since begin_chain().
    bool path_folded() const { return path_folded_; }
    void begin_chain() { path_folded_ = false; }
    // Keeps account of new nodes: a small file may have dozens of inlined functions at each address, and every chain
    // may be a new one. Chains of programs share nearly all of their nodes.
    void note_chain(std::size_t recorded, std::size_t added) {
        constexpr std::size_t a_frame = 4;
        inlined_left_ += a_frame * recorded;
        const auto spent = added > recorded ? added - recorded : 0;
        if (spent > inlined_left_) budget_.reached = true;  // how much was missing is not known behind this
        inlined_left_ -= std::min(inlined_left_, spent);
        budget_.least = std::min(budget_.least, inlined_left_);
    }

    // InlinedBudget is how many nodes of inlined functions might still have been added.
    struct InlinedBudget {
        static constexpr std::size_t first = std::size_t{1} << 18;  // at first

        std::size_t least = first;  // at any time
        std::size_t last = first;   // by now
        bool reached = false;       // something was left out for want of it, or of nodes
    };
    InlinedBudget budget() const {
        auto budget = budget_;
        budget.last = inlined_left_;
        return budget;
    }

    // note_progress(read, total) is what load() tells once more while it reads.
    void note_progress(std::uint64_t read, std::uint64_t total) { told_ = {read, total}; }
    // stopped() is whether it was asked to stop while it read a file.
    bool stopped() const { return stopped_; }

  private:
    static constexpr std::uint8_t not_asked = 0xff;

    [[gnu::noinline]] std::uint32_t find_folded(std::uint32_t number) {
        if (number >= folded_.size()) folded_.resize(unfolded_.size(), none);
        auto& folded = folded_[number];
        folded = folded == none ? fold(unfolded_[number]) : intern_prepared(folded);
        if (!is_kept(number)) ask_inlined(number);
        return folded;
    }
    [[gnu::noinline]] std::uint32_t find_kept(std::uint32_t number) {
        if (number >= kept_.size()) kept_.resize(unfolded_.size(), none);
        auto& kept = kept_[number];
        if (options_.by_name) (void)load(unfolded_[number], CodeDetail::names);
        kept = rows_.frames().intern(unfolded_[number]);
        if (known_folded(number) == none) ask_inlined(number);
        return kept;
    }
    bool is_kept(std::uint32_t number) const { return number < kept_.size() && kept_[number] != none; }

    // Reads the file behind a frame before it is asked for. Returns false if it was asked to stop.
    bool load(const Frame& frame, CodeDetail detail) {
        if (options_.functions == nullptr || stopped_ || !is_watched_ || frame.kind != FrameKind::object)
            return !stopped_;
        auto& known = loaded_[detail == CodeDetail::inlined ? 1 : 0];
        if (frame.index >= known.size()) known.resize(frame.index + std::size_t{1});
        if (!known[frame.index]) stopped_ = !options_.functions->load(frame, detail, {options_.stop, again()});
        known[frame.index] = true;
        return !stopped_;
    }

    // Tells the progress of the walk once more.
    Progress again() const {
        if (!options_.progress) return {};
        return [this](std::uint64_t, std::uint64_t) { options_.progress(told_.first, told_.second); };
    }

    Frame folded_frame(const Frame& frame) {
        if (options_.by_name && !load(frame, CodeDetail::names)) return frame;
        return options_.fold ? options_.fold(frame) : frame;
    }
    std::uint32_t fold(const Frame& frame) { return rows_.frames().intern(folded_frame(frame)); }

    // Numbers of frames stay below first_prepared: above it are places in prepared_, and `none`.
    static constexpr std::uint32_t most_prepared = 4096, first_prepared = none - most_prepared;
    static bool is_known(std::uint32_t folded) { return folded < first_prepared; }
    std::uint32_t intern_prepared(std::uint32_t folded) {
        const auto& one = prepared_[folded - first_prepared];
        return rows_.frames().intern(one.frame, one.hash);
    }

    // Asks what is inlined at an unfolded frame. Most have nothing: only where some have, chains look it up.
    void ask_inlined(std::uint32_t unfolded) {
        if (!add_inlined_ || !load(unfolded_[unfolded], CodeDetail::inlined)) return;
        for (const bool returns : {false, true}) {
            calls_.clear();
            add_inlined_(unfolded, returns, calls_);
            if (calls_.empty()) continue;
            auto& known = inlined_at_[returns ? 1 : 0];
            if (unfolded >= known.size()) known.resize(unfolded_.size(), none);
            known[unfolded] = none;
            for (const auto& call : calls_) {
                known[unfolded] = inlined_.intern({known[unfolded], rows_.frames().intern(call)});
            }
            rows_.note_inlined();
        }
    }

    const SampleCountOptions& options_;
    CountedRows& rows_;
    AddInlined add_inlined_;
    InternTable<Frame> unfolded_;
    std::vector<std::uint32_t> folded_;   // by number in unfolded_: number of the folded frame, prepared, or none
    std::vector<std::uint32_t> kept_;     // likewise: number of the frame itself
    std::vector<std::uint8_t> left_out_;  // likewise: the CodePart that leaves it out; or not_asked
    // Inlined functions, as chains below no caller: frames share these. By number in unfolded_, for sampled addresses
    // and for those that calls return to: the innermost one, or none; without those behind the last that has some.
    ChainTable inlined_;
    std::array<std::vector<std::uint32_t>, 2> inlined_at_;
    struct Prepared {
        Frame frame;  // folded
        std::uint64_t hash = 0;
    };
    std::vector<Prepared> prepared_;
    std::vector<Frame> calls_;                 // one answer of add_inlined_
    std::vector<std::uint32_t> inlined_path_;  // frames, of one answer of inlined_path()
    // How many nodes of inlined functions may be added to the table: some, and more with each recorded frame.
    std::size_t inlined_left_ = InlinedBudget::first;
    InlinedBudget budget_;
    bool path_folded_ = false;  // the current sample's chain lacks inlined calls: there is no room
    const bool is_watched_ = options_.stop.stop_possible() || options_.progress;
    bool stopped_ = false;
    std::pair<std::uint64_t, std::uint64_t> told_;  // the last progress
    std::array<std::vector<bool>, 2> loaded_;       // by ObjectIndex: names, and what is inlined
};

}  // namespace perfdata

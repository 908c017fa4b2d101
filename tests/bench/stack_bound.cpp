// SPDX-License-Identifier: MIT
#include "stack_bound.hpp"

#include <algorithm>
#include <bit>
#include <ctime>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <unordered_map>
#include <vector>

#include "perfdata/core/arch.hpp"
#include "perfdata/recording/source.hpp"
#include "perfdata/recording/walk.hpp"
#include "perfdata/symbols/elf/elf_file.hpp"
#include "perfdata/symbols/symbolizer.hpp"
#include "perfdata/timeline/frame_at.hpp"
#include "perfdata/timeline/function_index.hpp"
#include "perfdata/timeline/stack_unwinder.hpp"

#include "symbols/unwind/file_cfi.hpp"
#include "symbols/unwind/frame_step.hpp"

namespace perfdata::bench {
namespace {

double cpu_seconds() {
    timespec now{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// CountedStack is the copy of a stack. It is given to the steps as memory that is elsewhere, so all reads come here.
class CountedStack final : public OtherMemory {
  public:
    CountedStack(Bytes bytes, std::uint64_t begin, AnyOrder order, std::uint64_t& read)
        : bytes_(bytes), begin_(begin), order_(order), read_(read) {}

    bool read(std::uint64_t address, unsigned width, std::uint64_t& value) const override {
        const auto word = StackMemory(bytes_, begin_, order_).read(address, width);
        if (word.answer != StackMemory::Answer::value) return false;
        read_ += width;
        value = word.value;
        return true;
    }

  private:
    Bytes bytes_;
    std::uint64_t begin_;
    AnyOrder order_;
    std::uint64_t& read_;
};

// PlainLoop unwinds by rows of local files alone: no frame pointers, no trampolines of signals.
class PlainLoop {
  public:
    PlainLoop(const Recording& recording, const Timeline& timeline)
        : timeline_(timeline), recent_tasks_(timeline.tasks()) {
        const auto* arch = find_arch(recording.arch());
        if (arch != nullptr) target_ = UnwindTarget::of(arch->family, arch->address_bytes);
        if (!target_) throw std::runtime_error("stacks of this architecture are not unwound");
    }

    struct Counts {
        std::uint64_t bytes = 0, rows = 0;
    };

    // Appends the addresses of the frames.
    Counts unwind(const Moment& moment, const UserState& state, std::size_t most, std::vector<Address>& frames) {
        Counts counts;
        const auto registers_there = static_cast<std::size_t>(std::popcount(state.register_mask));
        ExpressionBudget budget;
        auto registers = registers_of_sample(
            *target_,
            Registers<AnyOrder>(state.abi, state.register_mask, {state.registers, registers_there, state.order}));
        const auto begin = registers.value(target_->stack_pointer());
        const CountedStack counted(state.stack, begin, state.order, counts.bytes);
        const StackMemory memory({}, begin, state.order, begin, &counted);
        for (bool returns = false; frames.size() < most; returns = true) {
            const Address address{registers.pc - (returns ? 1 : 0)};
            frames.push_back(address);
            const auto frame = frame_at(timeline_, nullptr, moment, address, CpuMode::user, &recent_tasks_);
            if (frame.kind != FrameKind::object) break;
            ++counts.rows;
            const auto& known = row_of(frame);
            if (!known.row || known.row->has(UnwindRow::signal_frame)) break;
            const auto source = known.cfi->source(*known.row, spill_, address.value - known.vaddr);
            if (step(*target_, *known.row, source, memory, registers, budget) != StepOutcome::ok) break;
        }
        return counts;
    }

    std::uint64_t rows_made() const { return rows_.size(); }

  private:
    struct File {
        std::optional<ElfFile> elf;
        std::unique_ptr<const FileCfi> cfi;
    };
    struct Known {
        std::optional<UnwindRow> row;
        const FileCfi* cfi = nullptr;
        std::uint64_t vaddr = 0;
    };

    const Known& row_of(const Frame& frame) {
        auto& known = places_[frame.first_word() ^ frame.second_word() << 40];
        if (known.cfi != nullptr) return known;
        const auto& file = file_of(frame.index);
        const auto vaddr = file.elf ? file.elf->vaddr(frame.offset) : std::nullopt;
        if (!vaddr || file.cfi->target() != target_) return known;
        const auto found = file.cfi->row_at(*vaddr, spill_);
        if (!found || !*found) return known;
        known = {**found, file.cfi.get(), *vaddr};
        rows_.emplace(std::pair(file.cfi.get(), (*found)->begin), true);
        return known;
    }

    const File& file_of(std::uint32_t object) {
        const auto [at, is_new] = files_.try_emplace(object);
        if (!is_new) return at->second;
        auto source = open_source(timeline_.tasks().objects()[object].path, Limits{});
        if (!source) return at->second;
        auto elf = ElfFile::open(std::move(*source));
        if (!elf) return at->second;
        at->second.elf = std::move(*elf);
        at->second.cfi = std::make_unique<const FileCfi>(*at->second.elf, nullptr, Limits{});
        return at->second;
    }

    const Timeline& timeline_;
    RecentTasks recent_tasks_;
    std::optional<UnwindTarget> target_;
    std::map<std::uint32_t, File> files_;
    std::unordered_map<std::uint64_t, Known> places_;
    std::map<std::pair<const FileCfi*, std::uint64_t>, bool> rows_;
    RuleSpill spill_;
};

template <class Take>
class StackVisitor {
  public:
    static constexpr bool samples_only = true;

    explicit StackVisitor(Take take) : take_(std::move(take)) {}

    template <class Order>
    void operator()(const RecordContext&, const BasicSample<Order>& sample) {
        const auto state = user_state(sample);
        if (state) take_({sample.time().value_or(Time{}), sample.pid().value_or(Pid{})}, *state);
    }

  private:
    Take take_;
};

// Calls take(moment, state) for each stack; returns the CPU time.
template <class Take>
double each_stack(const Recording& recording, Take take) {
    Completeness completeness;
    const auto begin = cpu_seconds();
    const auto walked = walk(recording, completeness, StackVisitor<Take>(std::move(take)));
    if (!walked) throw std::runtime_error(walked.error().message());
    return cpu_seconds() - begin;
}

}  // namespace

StackBound stack_bound(const std::string& path) {
    constexpr std::size_t most = 127;
    const auto recording = Recording::open(path);
    if (!recording) throw std::runtime_error(recording.error().message());
    const auto timeline = Timeline::build(*recording);
    if (!timeline) throw std::runtime_error(timeline.error().message());
    SymbolizerOptions options;
    options.finder.allow_local = true;
    const auto symbolizer = Symbolizer::open(*recording, *timeline, options);
    const auto unwinder = symbolizer.functions().unwinder();

    StackBound bound;
    PlainLoop plain(*recording, *timeline);
    std::vector<UnwoundFrame> frames;
    std::vector<Address> addresses;
    each_stack(*recording, [&](const Moment& moment, const UserState& state) {
        frames.clear();
        addresses.clear();
        unwinder->unwind(moment, state, most, frames);
        const auto counts = plain.unwind(moment, state, most, addresses);
        ++bound.stacks;
        bound.frames += frames.size();
        bound.copied_bytes += state.stack.size();
        const auto same = [](const UnwoundFrame& frame, Address address) { return frame.address == address; };
        if (!std::ranges::equal(frames, addresses, same)) return;
        ++bound.same_stacks;
        bound.same_frames += frames.size();
        bound.read_bytes += counts.bytes;
        bound.rows_looked_up += counts.rows;
    });
    if (bound.same_stacks == 0) throw std::runtime_error(path + ": no stack is unwound alike by the plain loop");
    bound.rows_made = plain.rows_made();

    // The best of a few rounds: what is above it is other load.
    constexpr int rounds = 5;
    std::uint64_t sum = 0;
    for (int round = 0; round < rounds; ++round) {
        const auto walked =
            each_stack(*recording, [&](const Moment&, const UserState& state) { sum += state.stack.size(); });
        const auto unwound = each_stack(*recording, [&](const Moment& moment, const UserState& state) {
            frames.clear();
            unwinder->unwind(moment, state, most, frames);
            sum += frames.size();
        });
        bound.walk_seconds = round == 0 ? walked : std::min(bound.walk_seconds, walked);
        bound.unwound_seconds = round == 0 ? unwound : std::min(bound.unwound_seconds, unwound);
    }
    if (sum != rounds * (bound.copied_bytes + bound.frames)) throw std::runtime_error("rounds differ");
    return bound;
}

}  // namespace perfdata::bench

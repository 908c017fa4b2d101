// SPDX-License-Identifier: MIT
#include <algorithm>
#include <optional>

#include "perfdata/recording/deferred_chains.hpp"
#include "perfdata/wire/sample/details.hpp"

#include "plain_loops.hpp"
#include "plain_parts.hpp"
#include "plain_text.hpp"
#include "trace/trace_formats.hpp"

namespace perfdata::bench {
namespace {

// ScriptVisitor writes each sample with its chain, or else with the fields of its tracepoint or its address.
class ScriptVisitor {
  public:
    static constexpr bool samples_only = true;

    explicit ScriptVisitor(const Opened& opened)
        : opened_(opened),
          recent_(opened.timeline.tasks()),
          formats_(TraceFormats::read(opened.recording)),
          texts_(opened, has_chains(opened.recording)) {}

    template <class Order>
    void operator()(const RecordContext& context, const BasicSample<Order>& sample) {
        const auto& event = opened_.recording.events().events()[context.event];
        const Moment moment{context.time, sample.pid().value_or(Pid{}), host};
        const auto tid = sample.tid().value_or(Tid{});
        const auto comm = recent_.comm_at(tid, context.time);
        const bool has_chain = sample.layout().shape().has(SamplePart::callchain);
        constexpr std::size_t most_numbers = 128;
        page_.write(comm.size() + event.name.size() + most_numbers, [&](char* at) {
            constexpr std::size_t comm_width = 16, id_width = 5, period_width = 10;
            at = put_right(at, comm, has_chain ? 0 : comm_width);
            *at++ = ' ';
            at = put_number(at, tid.value, id_width);
            *at++ = ' ';
            if (const auto cpu = sample.cpu()) {
                *at++ = '[';
                at = put_digits(at, *cpu, 3);
                at = put(at, "] ");
            }
            at = put_time(at, context.time.nanoseconds);
            if (event.attr.type != attr_type::tracepoint) {
                at = put_number(at, sample.period(), period_width);
                *at++ = ' ';
            }
            at = put(at, event.name);
            return put(at, ": ");
        });
        if (event.attr.type == attr_type::tracepoint) {
            if (const auto raw = sample.details().raw()) formats_.append(page_.text(), event.attr.config, *raw);
        }
        if (has_chain) {
            add_chain(sample, moment);
        } else if (event.attr.type != attr_type::tracepoint) {
            const auto ip = sample.ip().value_or(Address{});
            const auto& text = text_at(moment, ip, sample.mode());
            page_.write(text.text.size() + most_numbers, [&](char* at) {
                *at++ = ' ';
                return put(put_address(at, ip.value), text.text);
            });
        } else {
            page_.text() += '\n';
        }
        ++lines_;
        ++samples_;
    }

    PlainSums end() {
        page_.flush();
        return {samples_, samples_, lines_};
    }

  private:
    static bool has_chains(const Recording& recording) {
        return std::ranges::any_of(recording.events().events(),
                                   [](const Event& event) { return event.sample.shape().has(SamplePart::callchain); });
    }

    struct Asked {
        Address address;
        const FrameTexts::Text* text = nullptr;
    };
    struct Recent {
        Address address;
        const FrameTexts::Text* text = nullptr;
    };

    template <class Order>
    void add_chain(const BasicSample<Order>& sample, const Moment& moment) {
        asked_.clear();
        std::size_t size = 0;
        const auto add = [&](Address address, CpuMode mode) {
            const auto& text = text_at(moment, address, mode);
            __builtin_prefetch(text.text.data());
            size += text.text.size();
            lines_ += text.lines;
            asked_.push_back({address, &text});
            return true;
        };
        for_each_frame(sample, no_deferred_, add);
        if (const auto ip = sample.ip(); ip && asked_.empty()) add(*ip, sample.mode());
        constexpr std::size_t address_width = 17;
        page_.write(size + asked_.size() * address_width + 2, [&](char* at) {
            *at++ = '\n';
            for (const auto& one : asked_) {
                *at++ = '\t';
                at = put(put_address(at, one.address.value), one.text->text);
            }
            *at++ = '\n';
            return at;
        });
        ++lines_;
    }

    // All processes share the kernel.
    const FrameTexts::Text& text_at(const Moment& moment, Address address, CpuMode mode) {
        auto& recent = kernel_[address.value * 0x9e3779b97f4a7c15u >> (64 - recent_bits)];
        if (mode == CpuMode::kernel && recent.text != nullptr && recent.address == address) return *recent.text;
        const auto& text = texts_.of(frame_at(opened_.timeline, nullptr, moment, address, mode, &recent_));
        if (mode == CpuMode::kernel) recent = {address, &text};
        return text;
    }

    static constexpr unsigned recent_bits = 14;

    const Opened& opened_;
    RecentTasks recent_;
    const DeferredChains no_deferred_;
    const TraceFormats formats_;
    FrameTexts texts_;
    std::vector<Recent> kernel_ = std::vector<Recent>(std::size_t{1} << recent_bits);
    std::vector<Asked> asked_;
    Page page_;
    std::uint64_t samples_ = 0, lines_ = 0;
};

}  // namespace

PlainSums plain_script(const PlainInput& input) {
    const Opened opened(input.path);
    ScriptVisitor visitor(opened);
    opened.walk_with(visitor, RecordOrder::time);
    return visitor.end();
}

}  // namespace perfdata::bench

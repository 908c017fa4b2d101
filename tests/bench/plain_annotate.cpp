// SPDX-License-Identifier: MIT
#include <algorithm>
#include <map>
#include <optional>
#include <span>

#include "perfdata/annotate/disassembly/disassembler.hpp"
#include "perfdata/symbols/object_architecture.hpp"

#include "plain_loops.hpp"
#include "plain_parts.hpp"

namespace perfdata::bench {
namespace {

// AddressVisitor counts the samples of the functions of one name, by function and offset. Addresses outside of the
// kernel's function are compared, those in other files looked up to their mapping.
class AddressVisitor {
  public:
    static constexpr bool samples_only = true;

    AddressVisitor(const Opened& opened, const std::string& symbol)
        : opened_(opened),
          symbol_(symbol),
          places_(opened.symbolizer.functions().places_of(std::span(&symbol, 1))),
          recent_(opened.timeline.tasks()) {
        if (!places_) throw std::runtime_error("these places are not known: " + symbol);
    }

    template <class Order>
    void operator()(const RecordContext& context, const BasicSample<Order>& sample) {
        ++samples_;
        const auto ip = sample.ip().value_or(Address{});
        const auto mode = sample.mode();
        if (mode == CpuMode::kernel && !places_->has_kernel(ip)) return;
        const Moment moment{context.time, sample.pid().value_or(Pid{}), host};
        const auto frame = frame_at(opened_.timeline, nullptr, moment, ip, mode, &recent_);
        if (mode == CpuMode::user && (frame.kind != FrameKind::object || !places_->objects[frame.index])) return;
        const auto number = frames_.intern(frame);
        if (number == counts_.size()) counts_.push_back(0);
        ++counts_[number];
    }

    PlainSums write() {
        std::map<std::uint64_t, std::map<std::uint64_t, std::uint64_t>> functions;  // counts by begin and offset
        std::map<std::uint64_t, FunctionExtent> extents;                            // by begin
        const auto& index = opened_.symbolizer.functions();
        for (std::uint32_t at = 0; at < counts_.size(); ++at) {
            const auto& frame = frames_[at];
            if (opened_.symbolizer.name(frame).symbol != symbol_) continue;
            const auto extent = index.extent(frame);
            extents.emplace(extent.begin.offset, extent);
            functions[extent.begin.offset][frame.offset - extent.begin.offset] += counts_[at];
        }
        const auto arch = find_architecture(opened_.recording, opened_.symbolizer);
        const auto disassembler = Opened::take(Disassembler::create(arch.name));
        Page page;
        for (const auto& [begin, counts] : functions) {
            const auto& extent = extents.at(begin);
            CodeVersion version;
            version.function = extent.begin;
            version.size = extent.size;
            version.address = extent.address;
            const auto image = Opened::take(opened_.symbolizer.image(version));
            const auto lines = Opened::take(opened_.symbolizer.lines(extent.begin, extent.size));
            auto line = lines.begin();
            std::uint64_t all = 0;
            for (const auto& [offset, count] : counts) all += count;
            for (const auto& one : disassembler.decode(image.bytes, image.address)) {
                for (; line != lines.end() && line->offset <= one.offset; ++line)
                    page.line("{}:{}", line->source.file, line->source.line);
                std::uint64_t hits = 0;
                for (auto at = counts.lower_bound(one.offset); at != counts.end() && at->first < one.offset + one.size;
                     ++at)
                    hits += at->second;
                page.line("{:7.2f}% {:10x}  {} {}", 100.0 * static_cast<double>(hits) / static_cast<double>(all),
                          image.address.value + one.offset, one.mnemonic, one.operands);
            }
        }
        page.flush();
        return {samples_, functions.size(), page.lines()};
    }

  private:
    const Opened& opened_;
    const std::string& symbol_;
    const std::optional<CodePlaces> places_;
    RecentTasks recent_;
    InternTable<Frame> frames_;
    std::vector<std::uint64_t> counts_;  // by frame
    std::uint64_t samples_ = 0;
};

}  // namespace

PlainSums plain_annotate(const PlainInput& input) {
    const Opened opened(input.path);
    AddressVisitor visitor(opened, input.symbol);
    opened.walk_with(visitor);
    return visitor.write();
}

}  // namespace perfdata::bench

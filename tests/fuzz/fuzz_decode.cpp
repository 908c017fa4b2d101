// SPDX-License-Identifier: MIT
// Fuzz target: a whole file through everything that `perfdata dump` and `perfdata info` do with it: all features, all
// records in both orders, every field of each. A broken promise is a trap.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "perfdata/recording/recording.hpp"
#include "perfdata/recording/walk.hpp"
#include "perfdata/wire/feature/describe.hpp"
#include "perfdata/wire/record/all.hpp"
#include "perfdata/wire/sample/fields.hpp"

namespace {

using namespace perfdata;

void require(bool promise) {
    if (!promise) __builtin_trap();
}

OpenOptions small_limits() {
    OpenOptions options;
    options.limits.section_bytes = std::uint64_t{1} << 20;
    options.limits.unpacked_bytes = std::uint64_t{1} << 22;
    options.limits.events = 64;
    options.limits.ids = 4096;
    options.limits.diagnostics = 16;
    return options;
}

// Touched is the sum of all bytes that fields show: a view beyond its input is read here.
class Touched {
  public:
    void bytes(Bytes view) {
        for (const auto byte : view) sum_ += std::to_integer<unsigned>(byte);
    }
    void text(std::string_view view) { bytes(std::as_bytes(std::span(view))); }
    void number(std::uint64_t value) { sum_ += value; }
    std::uint64_t sum() const { return sum_; }

  private:
    std::uint64_t sum_ = 0;
};

// FieldReader reads every field of a record or a sample.
class FieldReader {
  public:
    explicit FieldReader(Touched& touched) : touched_(&touched) {}

    void operator()(std::string_view name, std::string_view value) { named(name).text(value); }
    void operator()(std::string_view name, Bytes value) { named(name).bytes(value); }
    void operator()(std::string_view name, Address value) { named(name).number(value.value); }
    void operator()(std::string_view name, Time value) { named(name).number(value.nanoseconds); }
    void operator()(std::string_view name, double value) { named(name).number(value > 0 ? 1 : 0); }
    template <std::integral T>
    void operator()(std::string_view name, T value) {
        named(name).number(static_cast<std::uint64_t>(value));
    }
    template <FieldArray T>
    void operator()(std::string_view name, const T& value) {
        named(name);
        for (std::size_t index = 0; index < value.size(); ++index) touched_->number(value[index]);
    }
    template <class Order>
    void operator()(std::string_view name, const AddressWords<Order>& value) {
        named(name);
        const auto visit = [&](Address address, CpuMode) { touched_->number(address.value); };
        (void)for_each_frame(value.words, CpuMode::unknown, visit);
    }
    template <class At>
    void list(std::string_view name, std::size_t count, At&& at) {
        named(name);
        for (std::size_t index = 0; index < count; ++index) at(index, *this);
    }

  private:
    Touched& named(std::string_view name) {
        require(!name.empty());
        return *touched_;
    }

    Touched* touched_;
};

// FeatureReader reads every value of a feature.
class FeatureReader {
  public:
    explicit FeatureReader(Touched& touched) : touched_(&touched) {}

    void operator()(std::string_view, std::string_view value) { touched_->text(value); }
    void operator()(std::string_view, Bytes value) { touched_->bytes(value); }
    void operator()(std::string_view, Address value) { touched_->number(value.value); }
    void operator()(std::string_view, Time value) { touched_->number(value.nanoseconds); }
    template <std::integral T>
    void operator()(std::string_view, T value) {
        touched_->number(static_cast<std::uint64_t>(value));
    }
    template <class Body>
    Result<void> list(std::string_view, std::optional<std::uint64_t>, Body body) {
        return body(*this);
    }
    template <class Body>
    Result<void> element(Body body) {
        return body(*this);
    }

  private:
    Touched* touched_;
};

class RecordReader {
  public:
    RecordReader(Touched& touched, RecordOrder order, RegisterSet registers)
        : touched_(&touched), registers_(registers), order_(order) {}

    template <class R>
    void operator()(const RecordContext& context, const R& record) {
        look_at(context.view);
        ++decoded_;
        if (order_ == RecordOrder::time && context.view.header().type < 64) in_order(context.time);
        if constexpr (requires { record.details(); }) {
            const auto parts = record.details().parts();
            require(!parts.overrun && parts.end <= context.view.bytes.size());
            sample_fields(record, registers_, FieldReader(*touched_));
        } else {
            record.fields(FieldReader(*touched_));
        }
    }
    void unknown(const RecordView& record) {
        look_at(record);
        ++skipped_;
    }
    void damaged(const RecordView& record, const Error& error) {
        look_at(record);
        ++damaged_;
        require(!error.where.empty() && !error.message().empty());
    }

    void check(const Completeness& completeness) const {
        RecordCounts sum;
        for (const auto& [type, counts] : completeness.records) {
            sum.decoded += counts.decoded;
            sum.skipped += counts.skipped;
            sum.damaged += counts.damaged;
        }
        require(sum.decoded == decoded_ && sum.skipped == skipped_ && sum.damaged == damaged_);
        const auto& bytes = completeness.bytes;
        require(bytes.total == bytes.records + bytes.outside_records + bytes.unread);
        require(completeness.diagnostics.kept().size() <= completeness.diagnostics.count());
        require(completeness.diagnostics.count() >= damaged_);
    }

  private:
    void look_at(const RecordView& record) {
        require(record.bytes.size() >= RecordHeader::bytes && record.bytes.size() == record.header().size);
        touched_->bytes(record.bytes);
    }
    // Records whose event keeps no time happened when those before them did.
    void in_order(Time time) {
        require(time >= latest_);
        latest_ = time;
    }

    Touched* touched_;
    RegisterSet registers_;
    RecordOrder order_;
    Time latest_;
    std::uint64_t decoded_ = 0, skipped_ = 0, damaged_ = 0;
};

void read_features(const Recording& recording, Touched& touched) {
    for (const auto& section : recording.features()) {
        const auto content = recording.read_feature(static_cast<Feature>(section.number));
        if (!content) continue;
        for (const std::optional<std::uint32_t> cpus :
             {std::optional<std::uint32_t>{}, std::optional<std::uint32_t>{2}}) {
            const Cursor in(*content, recording.order(), {.where = "feature", .offset = section.section.offset});
            const auto described = describe_feature(section.number, in, {cpus}, FeatureReader(touched));
            if (!described) require(!described.error().message().empty());
        }
    }
}

Completeness read_records(const Recording& recording, Touched& touched, RecordOrder order) {
    Completeness completeness;
    RecordReader reader(touched, order, register_set(recording.arch()));
    WalkOptions options;
    options.order = order;
    require(walk(recording, completeness, reader, options).has_value());  // the only error is `cancelled`
    reader.check(completeness);
    return completeness;
}

void decode_recording(const Recording& recording) {
    Touched touched;
    read_features(recording, touched);
    const auto file = read_records(recording, touched, RecordOrder::file);
    const auto time = read_records(recording, touched, RecordOrder::time);
    // The order is another, the records are the same.
    require(file.records.size() == time.records.size());
    for (const auto& [type, counts] : file.records) {
        const auto other = time.records.find(type);
        require(other != time.records.end() && other->second.total() == counts.total());
    }
    require(file.bytes.unread == time.bytes.unread && file.bytes.records == time.bytes.records);
    volatile const auto kept = touched.sum();
    (void)kept;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const Bytes bytes = std::as_bytes(std::span(data, size));
    const auto recording = Recording::from_memory(bytes, small_limits());
    if (recording) decode_recording(*recording);
    return 0;
}

// SPDX-License-Identifier: MIT
// Fuzz target: all records of a whole file, in both orders, with every field.
#include "perfdata/recording/recording.hpp"
#include "perfdata/recording/walk.hpp"

#include "field_reader.hpp"

namespace {

using namespace perfdata;
using fuzz::FieldReader;
using fuzz::require;
using fuzz::Touched;

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
    // Records of events without times are as late as the records before them.
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
    const auto file = read_records(recording, touched, RecordOrder::file);
    const auto time = read_records(recording, touched, RecordOrder::time);
    // Both orders contain the same records.
    require(file.records.size() == time.records.size());
    for (const auto& [type, counts] : file.records) {
        const auto other = time.records.find(type);
        require(other != time.records.end() && other->second.total() == counts.total());
    }
    require(file.bytes.unread == time.bytes.unread && file.bytes.records == time.bytes.records);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const Bytes bytes = std::as_bytes(std::span(data, size));
    const auto recording = Recording::from_memory(bytes, {fuzz::small_limits()});
    if (recording) decode_recording(*recording);
    return 0;
}

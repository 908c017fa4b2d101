// SPDX-License-Identifier: MIT
#include "bundle/anonymize/anonymous_recording.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "perfdata/recording/architecture.hpp"
#include "perfdata/recording/record_stream.hpp"
#include "perfdata/symbols/bundle/bundle.hpp"

#include "bundle/anonymize/feature_rewriter.hpp"
#include "bundle/anonymize/joined_source.hpp"
#include "bundle/anonymize/record_rewriter.hpp"
#include "recording/look_out.hpp"
#include "recording/pulse.hpp"
#include "recording/spool.hpp"

namespace perfdata {
namespace {

constexpr std::string_view what_is_made = "anonymized recording";

// RecordingWriter makes one recording. Its parts follow each other only at the end: their sizes are in the header.
class RecordingWriter {
  public:
    RecordingWriter(const Recording& recording, const Names& names, Tally& tally, const Watch& watch)
        : recording_(recording), names_(names), tally_(tally), watch_(watch) {
        attr_bytes_ = Attr::min_bytes;
        for (const auto& event : recording.events().events()) {
            const auto bytes = std::min<std::size_t>(event.attr.size, Attr::known_bytes) / 8 * 8;
            attr_bytes_ = std::max(attr_bytes_, bytes);
        }
    }

    // May throw Stopped.
    Result<std::shared_ptr<const Source>> make() {
        LookOut look(watch_, recording_.bytes());
        const auto arch = find_architecture(recording_, watch_).name;
        look.ask();
        const auto places = CodeAddresses::find(recording_, arch, watch_);
        if (!places) return fail(places.error());
        auto records = write_records(*places);
        if (!records) return fail(std::move(records.error()));
        auto ids = write_ids();
        const auto attrs_begin = FileHeader::bytes + ids.size();
        const auto data_begin = attrs_begin + attr_entries();
        const auto data_end = data_begin + (*records)->size();
        ByteWriter table(recording_.order());
        auto sections = write_sections(data_end, arch, table, look);
        if (!sections) return fail(std::move(sections.error()));

        ByteWriter front(recording_.order());
        write_header(attrs_begin, data_begin, (*records)->size(), front);
        front.bytes(ids.written());
        write_attrs(front);
        const auto part = [](ByteWriter writer) { return std::make_shared<OwnedBytes>(std::move(writer).take()); };
        return std::make_shared<JoinedSource>(std::vector<std::shared_ptr<const Source>>{
            part(std::move(front)), std::move(*records), part(std::move(table)), std::move(*sections)});
    }

  private:
    static constexpr std::size_t block = std::size_t{256} << 10;
    // What is read is limited, and what is made of it is hardly larger.
    static constexpr std::uint64_t no_limit = ~std::uint64_t{0};
    static constexpr std::size_t table_entry = 16;
    static constexpr unsigned sections_at_most = 256;

    std::size_t attr_entries() const {
        return recording_.events().events().size() * (attr_bytes_ + sizeof(FileSection));
    }

    Result<std::shared_ptr<const Source>> write_records(const CodeAddresses& places) {
        auto spool = Spool::create(std::string(what_is_made), no_limit);
        if (!spool) return fail(std::move(spool.error()));
        ByteWriter out(recording_.order());
        RecordRewriter rewriter(recording_, names_, places, tally_, out);
        Pulse pulse(watch_, recording_.bytes());
        auto stream = recording_.records();
        RecordView record;
        while (stream.next(record)) {
            if (!pulse.go_on(record.bytes.size())) return fail(pulse.stopped(std::string(what_is_made)));
            rewriter.take(record);
            if (out.size() < block) continue;
            if (auto written = spool->append(out.written()); !written) return fail(std::move(written.error()));
            out.clear();
        }
        if (stream.unread_bytes() != 0) tally_.add(Told::unread_bytes, stream.unread_bytes());
        auto places_lost = stream.problems().count() + recording_.diagnostics().count();
        // One of these is that a copy was made of a damaged one before.
        if (recording_.bundle() && recording_.bundle()->facts().lost_before() != 0 && places_lost != 0) --places_lost;
        if (places_lost != 0) tally_.add(Told::unread_places, places_lost);
        if (spool->size() == 0 && out.size() == 0) {
            // No bytes of records at all would mean that the recorder did not finish.
            out.begin_record(RecordType::finished_round, 0);
            out.end_record();
        }
        if (auto written = spool->append(out.written()); !written) return fail(std::move(written.error()));
        return std::move(*spool).finish();
    }

    ByteWriter write_ids() const {
        ByteWriter out(recording_.order());
        for (const auto& event : recording_.events().events()) {
            for (const auto id : event.ids) out.u64(id.value);
        }
        return out;
    }

    Result<std::shared_ptr<const Source>> write_sections(std::uint64_t data_end, std::string_view arch,
                                                         ByteWriter& table, LookOut& look) {
        auto spool = Spool::create(std::string(what_is_made), no_limit);
        if (!spool) return fail(std::move(spool.error()));
        FeatureRewriter rewriter(recording_, names_, tally_, attr_bytes_, arch, look);
        std::vector<FileSection> places;
        for (unsigned number = 1; number < sections_at_most; ++number) {
            ByteWriter out(recording_.order());
            if (!rewriter.write(number, out)) continue;
            look.ask();
            features_[number / 64] |= std::uint64_t{1} << number % 64;
            places.push_back({spool->size(), out.size()});
            if (auto written = spool->append(out.written()); !written) return fail(std::move(written.error()));
        }
        const auto begin = data_end + places.size() * table_entry;
        for (const auto& place : places) {
            table.u64(begin + place.offset);
            table.u64(place.size);
        }
        return std::move(*spool).finish();
    }

    void write_header(std::uint64_t attrs_begin, std::uint64_t data_begin, std::uint64_t data_size,
                      ByteWriter& out) const {
        constexpr std::uint64_t magic = 0x32454c4946524550;  // PERFILE2
        out.u64(magic);
        out.u64(FileHeader::bytes);
        out.u64(attr_bytes_ + sizeof(FileSection));
        out.u64(attrs_begin);
        out.u64(attr_entries());
        out.u64(data_begin);
        out.u64(data_size);
        out.u64(0);
        out.u64(0);
        for (const auto word : features_) out.u64(word);
    }

    void write_attrs(ByteWriter& out) const {
        std::uint64_t ids = FileHeader::bytes;
        for (const auto& event : recording_.events().events()) {
            write_attr(anonymous_attr(event.attr), attr_bytes_, out);
            const auto bytes = event.ids.size() * sizeof(std::uint64_t);
            out.u64(ids);
            out.u64(bytes);
            ids += bytes;
        }
    }

    const Recording& recording_;
    const Names& names_;
    Tally& tally_;
    const Watch& watch_;
    std::size_t attr_bytes_ = 0;
    std::array<std::uint64_t, 4> features_{};
};

}  // namespace

Result<std::shared_ptr<const Source>> anonymous_recording(const Recording& recording, const Names& names, Tally& tally,
                                                          const Watch& watch) {
    try {
        return RecordingWriter(recording, names, tally, watch).make();
    } catch (const Stopped&) {
        return fail(ErrorCode::cancelled, Error::no_offset, std::string(what_is_made), "asked to stop");
    }
}

}  // namespace perfdata

// SPDX-License-Identifier: MIT
#include "perfdata/recording/recording.hpp"

#include <algorithm>
#include <array>

#include "perfdata/core/catch_bad_alloc.hpp"
#include "perfdata/recording/content.hpp"
#include "perfdata/recording/named_file.hpp"
#include "perfdata/recording/record_stream.hpp"
#include "perfdata/recording/source.hpp"

#include "look_out.hpp"
#include "sparse_read.hpp"
#include "stored/profile_file.hpp"

namespace perfdata {
namespace {

bool starts_as_profile(const Source& source) {
    std::array<std::byte, 32> start{};
    const auto got = source.read_at(0, start);
    return got && stored::is_profile(Bytes(start).first(*got));
}

}  // namespace

Result<Recording> Recording::open(const std::string& path, const OpenOptions& options) {
    return catch_bad_alloc([&]() -> Result<Recording> {
        const bool directory = is_directory(path);
        const Watch watch{options.stop, options.progress};
        // The user who names a directory does not expect to wait for a pipe in it, or to read what links lead to
        // elsewhere.
        auto source =
            directory ? open_named_file({path, "data"}, options.limits, {.content = Content::recording, .watch = watch})
                      : open_source(path, options.limits, Content::recording, watch);
        if (!source && directory && source.error().code == ErrorCode::missing) {
            source.error().code = ErrorCode::io;
            source.error().where = main_file(path);
        }
        if (!source) return fail(std::move(source.error()));
        auto recording = open(std::move(*source), path, options);
        if (recording && directory && recording->is_profile()) {
            return fail(ErrorCode::unsupported, Error::no_offset, main_file(path),
                        "is a profile, no recording: open it by its own path");
        }
        if (recording && directory) {
            if (auto opened = recording->open_data_files(path, watch); !opened) return fail(std::move(opened.error()));
        }
        if (recording) recording->has_file_ = path != "-";
        return recording;
    });
}

Result<Recording> Recording::from_memory(Bytes bytes, const OpenOptions& options) {
    return catch_bad_alloc([&] { return open(memory_source(bytes), "", options); });
}

Result<Recording> Recording::from_source(Shared<const Source> source, std::string name, const OpenOptions& options) {
    return catch_bad_alloc([&]() -> Result<Recording> {
        if (!source) return fail(ErrorCode::io, Error::no_offset, std::move(name), "no source");
        // As an owner that the standard library knows, of the same source.
        const auto* object = source.get();
        auto plain = unpacked(std::shared_ptr<const Source>(object, [kept = std::move(source)](const Source*) {}), name,
                              options.limits, Content::recording, {options.stop, options.progress});
        if (!plain) return fail(std::move(plain.error()));
        return open(std::move(*plain), std::move(name), options);
    });
}

Result<Recording> Recording::reopen(const Watch& watch) const {
    if (!has_file_) {
        return fail(ErrorCode::unsupported, Error::no_offset, path_, "it was not opened by the path of a file");
    }
    return open(path_, {limits_, watch.stop, watch.progress});
}

Result<Recording> Recording::open(Shared<const Source> source, std::string path, const OpenOptions& options) {
    Recording recording;
    recording.source_ = std::move(source);
    recording.path_ = std::move(path);
    recording.limits_ = options.limits;
    recording.diagnostics_ = DiagnosticLog(options.limits.diagnostics);
    if (auto damage = recording.source_->damage()) recording.diagnostics_.add(std::move(*damage));
    if (auto read = recording.read_all({options.stop, options.progress}); !read) return fail(std::move(read.error()));
    return recording;
}

Result<void> Recording::read_all(const Watch& watch) {
    if (starts_as_profile(*source_)) return read_stored(watch);
    if (auto read = read_header(); !read) return read;
    find_data();
    read_feature_table();
    try {
        LookOut look(watch, source_->size());
        if (header_.pipe) {
            if (auto read = read_pipe_events(watch, look); !read) return read;
        } else {
            read_events(look);
        }
    } catch (const Stopped&) {
        return fail(ErrorCode::cancelled, Error::no_offset, path_, "asked to stop");
    }
    read_texts();
    read_compression();
    return {};
}

Result<void> Recording::read_header() {
    std::array<std::byte, FileHeader::bytes> start{};
    const auto got = source_->read_at(0, start);
    if (!got) return fail(got.error());
    auto header = FileHeader::parse(Bytes(start).first(*got));
    if (!header) return fail(std::move(header.error()));
    header_ = *header;
    return {};
}

void Recording::find_data() {
    const auto total = source_->size();
    if (header_.pipe) {
        data_ = {FileHeader::pipe_bytes, total - FileHeader::pipe_bytes};
        return;
    }
    data_ = header_.data;
    if (data_.offset > total) {
        diagnostics_.add(
            {ErrorCode::truncated, 40, "file header",
             "data section at byte " + std::to_string(data_.offset) + " of a file of " + std::to_string(total)});
        data_ = {total, 0};
        return;
    }
    const auto left = total - data_.offset;
    if (interrupted()) {
        data_.size = left;
        diagnostics_.add({ErrorCode::truncated, 48, "file header",
                          "the recorder did not end properly (data size 0): reading records up to the end of the "
                          "file; there are no features"});
    } else if (data_.size > left) {
        diagnostics_.add({ErrorCode::truncated, 48, "file header",
                          "data section of " + std::to_string(data_.size) + " bytes, the file has " +
                              std::to_string(left) + " of them; the features behind it are lost"});
        data_.size = left;
    }
}

std::vector<Recording::InputFile> Recording::input_files() const {
    std::vector<InputFile> files{{"data", source_}};
    files.insert(files.end(), data_files_.begin(), data_files_.end());
    return files;
}

RecordStream Recording::records(Stacks stacks, std::uint64_t most_unpacked) const {
    std::vector<RecordSegment> segments = {{source_, data_.offset, data_.offset + data_.size}};
    for (const auto& file : data_files_) segments.push_back({file.content, 0, file.content->size()});
    RecordStreamOptions options;
    options.order = order();
    // Framing each record to find copies of stacks costs 7 % of a pass: only where samples may have some.
    const auto copies_stack = [](const Event& event) {
        return event.sample.shape().has(SamplePart::stack_user) && event.attr.sample_stack_user >= least_stack_left_out;
    };
    if (stacks == Stacks::unread && std::ranges::any_of(events_.events(), copies_stack)) {
        options.without_stacks = &events_;
    }
    options.pipe = header_.pipe;
    options.unpacked_bytes = std::min(limits_.unpacked_bytes, most_unpacked);
    options.window_bytes = limits_.zstd_window_bytes;
    if (unpacked_record_bytes_ != 0) options.unpacked_record_bytes = unpacked_record_bytes_;
    return {std::move(segments), options};
}

std::uint64_t Recording::bytes() const {
    if (stored_) return stored_->facts.bytes_total;
    auto total = source_->size();
    for (const auto& file : data_files_) total += file.content->size();
    return total;
}

// Sections of a damaged file may overlap each other or the records: each byte counts once, for records first.
std::uint64_t Recording::outside_records() const {
    std::vector<FileSection> parts = {{0, header_.size}, header_.attrs, header_.event_types};
    parts.insert(parts.end(), id_sections_.begin(), id_sections_.end());
    if (!features_.empty()) parts.push_back(feature_table());
    for (const auto& feature : features_) {
        if (feature.inside_file) parts.push_back(feature.section);
    }
    std::ranges::sort(parts, {}, &FileSection::offset);
    const auto data_end = data_.offset + data_.size;
    std::uint64_t covered = 0;
    std::uint64_t reached = 0;
    for (const auto& part : parts) {
        const auto offset = std::min(part.offset, source_->size());
        const auto begin = std::max(offset, reached);
        const auto end = offset + std::min(part.size, source_->size() - offset);
        if (end <= begin) continue;
        const auto data_from = std::clamp(data_.offset, begin, end);
        const auto data_to = std::clamp(data_end, begin, end);
        covered += (end - begin) - (data_to - data_from);
        reached = end;
    }
    return covered;
}

}  // namespace perfdata

// SPDX-License-Identifier: MIT
// One recording, whatever its container: header, events, features, records.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/core/export.hpp"
#include "perfdata/core/limits.hpp"
#include "perfdata/core/shared.hpp"
#include "perfdata/recording/completeness.hpp"
#include "perfdata/recording/event_table.hpp"
#include "perfdata/recording/progress.hpp"
#include "perfdata/wire/feature/number.hpp"
#include "perfdata/wire/file_header.hpp"

namespace perfdata {

class Bundle;
class LookOut;
class RecordStream;
class Source;
struct BundleOpener;
namespace stored {
struct Model;
}

// OpenOptions says how much opening may cost, and who watches it. Only input that is unpacked or copied as a whole
// takes long, a pipe's header that is long, and events with millions of ids.
struct OpenOptions {
    Limits limits = {};  // what it may cost, now and later
    // Once it stops, opening fails with `cancelled`. The recording does not keep it.
    StopToken stop = {};
    // Is told of unpacking and copying: bytes of the packed input, or of the pipe, that were read. Then of a pipe's
    // header: bytes of the copy. While ids are read, again what it was told last.
    Progress progress = {};
};

// FeatureSection is one entry of the feature table, whether or not its number is known. In a pipe stream it is a
// record HEADER_FEATURE, or the tracing data behind a record HEADER_TRACING_DATA; the first of several with one number
// counts.
struct FeatureSection {
    unsigned number = 0;       // its bit in the header, HEADER_... of perf
    FileSection section;       // where its payload lies
    bool inside_file = false;  // the file has all of it
};

// Recording is const after opening; all members may be used from several threads. Opening reads the header, the attrs
// and the small features, never the records: its cost does not grow with the file.
//
// A profile file (perfdata profile) opens as a recording, too, and is read as a whole. It has events and facts, but
// neither records nor features: see is_profile().
class PERFDATA_EXPORT Recording {
  public:
    // open(path): "-" is standard input, a directory is a recording made with --threads or --kcore. Errors: io,
    // not_perf_data, truncated, malformed, unsupported, limit: only if nothing could be read; cancelled. Lesser damage
    // is in diagnostics(). Of profile files any damage is an error.
    static Result<Recording> open(const std::string& path, const OpenOptions& options = {});
    // from_memory(bytes) does not copy: the bytes must outlive the recording.
    static Result<Recording> from_memory(Bytes bytes, const OpenOptions& options = {});
    // from_source(source, name) reads any input, such as callback_source(); compressed input is unpacked to a temporary
    // file. name is what path() returns and messages have. Errors: those of open(), and those of reading the source.
    static Result<Recording> from_source(Shared<const Source> source, std::string name,
                                         const OpenOptions& options = {});

    // reopen(watch) opens the same file or directory again, as it is now, with the same limits: a recording that still
    // grows has more records then. This recording, and all that was made of it, stays as it is, and what it has not
    // read yet is read within its old size. Errors: those of open(); unsupported if it was not opened by a path
    // (memory, a source, or standard input), or out of a bundle.
    Result<Recording> reopen(const Watch& watch = {}) const;

    // bundle() returns the bundle that it was opened from, see open_recording(); null if there is none.
    const Shared<const Bundle>& bundle() const { return bundle_; }
    // path() returns the path that it was opened by, or the name of its source; empty for memory.
    const std::string& path() const { return path_; }
    const FileHeader& header() const { return header_; }  // as it was decoded
    AnyOrder order() const { return header_.order; }      // byte order of the recorded machine
    const Limits& limits() const { return limits_; }      // those that it was opened with
    // bytes() returns the size of all files of the recording, unpacked; of a profile, that of its recordings.
    std::uint64_t bytes() const;
    const EventTable& events() const { return events_; }
    const std::vector<FeatureSection>& features() const { return features_; }
    const DiagnosticLog& diagnostics() const { return diagnostics_; }

    // Texts of the features of the same names; empty if not recorded.
    const std::string& hostname() const { return hostname_; }
    const std::string& os_release() const { return os_release_; }
    const std::string& perf_version() const { return perf_version_; }
    const std::string& arch() const { return arch_; }
    const std::string& cpu_description() const { return cpu_description_; }
    const std::vector<std::string>& command_line() const { return command_line_; }

    // is_profile() returns true for a profile file: it has counts, but no records.
    bool is_profile() const { return stored_ != nullptr; }
    // stored() returns what a profile file has, null for a recording; for the library itself. It lives as long as this,
    // and as each timeline that was made of it.
    const stored::Model* stored() const { return stored_.get(); }
    // wall_time() returns when the first sample was taken, in nanoseconds since 1970, of the first recording in a
    // profile; 0: unknown, or no profile.
    std::uint64_t wall_time() const;

    // interrupted() returns true if the recorder did not finish: the header was never completed.
    bool interrupted() const { return !header_.pipe && header_.data.size == 0 && !is_profile(); }
    // data() returns the part of the (main) file that holds records, cut at the end of the file.
    FileSection data() const { return data_; }

    // read_feature(feature) returns the raw payload. Errors: missing, truncated, limit, io.
    Result<std::vector<std::byte>> read_feature(Feature feature) const;
    Result<std::vector<std::byte>> read_feature(const FeatureSection& section) const;
    // feature(feature) returns its entry in the table, null if the recording has none.
    const FeatureSection* feature(Feature feature) const;

    // data_files() returns the number of files data.N that a directory has besides its main file.
    std::size_t data_files() const { return data_files_.size(); }

    // InputFile is a file that a recording is read from.
    struct InputFile {
        std::string name;  // in its directory: "data.3"; "data" for the main one, also outside of a directory
        Shared<const Source> content;  // unpacked. It is the file that was opened, whatever becomes of its name
    };
    // input_files() returns them, the main one first.
    std::vector<InputFile> input_files() const;

    // records(stacks, most_unpacked) returns a stream of all records. Stacks::unread: copies of stacks in samples are
    // not needed, and may be undefined; the recording must then outlive the stream, and stay where it is. It unpacks no
    // more than most_unpacked bytes of compressed records, nor than Limits::unpacked_bytes.
    enum class Stacks : bool { read, unread };
    RecordStream records(Stacks stacks = Stacks::read, std::uint64_t most_unpacked = ~std::uint64_t{0}) const;

    // is_late(record) returns true if this record of a pipe's header stands behind the first records of the recording,
    // so that nobody has read it. The mark behind the last feature, which is empty, is not late anywhere.
    bool is_late(const RecordView& record) const;

    // outside_records() returns how many bytes of the file belong to header, attrs, ids and features.
    std::uint64_t outside_records() const;

  private:
    friend struct BundleOpener;
    friend class Timeline;

    struct DataFile;

    Recording() = default;

    static Result<Recording> open(Shared<const Source> source, std::string path, const OpenOptions& options);
    Result<void> read_all(const Watch& watch);
    // Reads all of a profile file, or takes one that is in memory.
    Result<void> read_stored(const Watch& watch);
    void take_stored(Shared<const stored::Model> model, LookOut& look);
    Result<void> read_header();
    void find_data();
    static bool is_directory(const std::string& path);
    static std::string main_file(const std::string& directory);
    Result<void> open_data_files(const std::string& directory, const Watch& watch);
    static std::optional<std::uint32_t> data_file_number(std::string_view name);
    Result<void> add_data_files(const std::string& directory, std::vector<std::uint32_t> numbers,
                                std::vector<DataFile> files);
    Result<void> read_pipe_events(const Watch& watch, LookOut& look);
    void add_pipe_feature(const FeatureSection& feature);
    void read_compression();
    void read_feature_table();
    // These may throw Stopped.
    void read_events(LookOut& look);
    Result<std::vector<Event>> read_attrs(LookOut& look);
    Result<std::vector<EventId>> read_ids(FileSection section, std::size_t before, LookOut& look) const;
    std::vector<Event> read_event_descriptions(LookOut& look);
    void name_tracepoints(std::vector<Event>& events, LookOut& look) const;
    void read_texts();
    std::string read_text(Feature feature);
    FileSection feature_table() const;
    Result<std::vector<std::byte>> read_section(FileSection section, std::string where) const;
    Result<std::vector<std::byte>> read_part(FileSection section, std::string where, LookOut* look = nullptr) const;

    std::string path_;
    bool has_file_ = false;  // path_ can be opened again
    Limits limits_;
    Shared<const Source> source_;
    std::vector<InputFile> data_files_;        // data.N of a directory
    std::uint64_t unpacked_record_bytes_ = 0;  // 0: unknown
    FileHeader header_;
    FileSection data_;
    EventTable events_;
    std::vector<FeatureSection> features_;
    std::vector<FileSection> id_sections_;
    std::uint64_t pipe_header_end_ = 0;  // offset of the first record that is not of a pipe's header; 0: no pipe
    DiagnosticLog diagnostics_;
    std::string hostname_, os_release_, perf_version_, arch_, cpu_description_;
    std::vector<std::string> command_line_;
    Shared<const Bundle> bundle_;
    Shared<const stored::Model> stored_;  // null: no profile
};

}  // namespace perfdata

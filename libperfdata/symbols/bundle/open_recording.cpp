// SPDX-License-Identifier: MIT
// Opens recordings, whether or not they are in a bundle.
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "perfdata/core/catch_bad_alloc.hpp"
#include "perfdata/recording/content.hpp"
#include "perfdata/symbols/bundle/bundle.hpp"

#include "bundle_names.hpp"
#include "recording/data_file.hpp"
#include "recording/file_source.hpp"
#include "recording/unpack.hpp"

namespace perfdata {

// BundleOpener makes recordings of sources that are open already.
struct BundleOpener {
    static Result<Recording> plain(std::shared_ptr<const Source> source, std::string path, bool has_file,
                                   const OpenOptions& options) {
        auto recording = Recording::open(std::move(source), std::move(path), options);
        if (recording) recording->has_file_ = has_file;
        return recording;
    }

    static Result<Recording> bundled(std::shared_ptr<const Source> source, std::string path,
                                     const OpenOptions& options) {
        const Watch watch{options.stop, options.progress};
        auto bundle = Bundle::open(std::move(source), path == "-" ? "standard input" : path, options.limits, watch);
        if (!bundle) return fail(std::move(bundle.error()));
        const bool directory = (*bundle)->find(bundle_main_file).has_value();
        auto main = open_member(**bundle, std::string(directory ? bundle_main_file : bundle_recording), options.limits,
                                Content::recording, watch);
        if (!main) return fail(no_recording(**bundle, directory, std::move(main.error())));
        const auto damage = (*main)->damage();
        auto recording = Recording::open(std::move(*main), path, options);
        if (!recording) {
            if (damage) recording.error().detail += " (of what is in the bundle: " + damage->detail + ")";
            return fail(no_recording(**bundle, directory, std::move(recording.error())));
        }
        if (recording->is_profile()) {
            return fail(ErrorCode::unsupported, Error::no_offset, path,
                        "the recording in this bundle is a profile: unpack it");
        }
        for (const auto& problem : (*bundle)->problems()) recording->diagnostics_.add(problem);
        if (const auto lost = (*bundle)->facts().lost_before(); lost != 0) {
            recording->diagnostics_.add({ErrorCode::truncated, Error::no_offset, path,
                                         std::to_string(lost) + (lost == 1 ? " part" : " parts") +
                                             " of the recording could not be read when this anonymized copy of it "
                                             "was made"});
        }
        if (directory) {
            std::vector<std::uint32_t> numbers;
            std::vector<Recording::DataFile> files;
            for (const auto& file : (*bundle)->files()) {
                const std::string_view name = file.name;
                if (!name.starts_with(bundle_directory)) continue;
                const auto number = Recording::data_file_number(name.substr(bundle_directory.size()));
                if (!number) continue;
                numbers.push_back(*number);
                const auto open = [&, name] {
                    return open_member(**bundle, std::string(name), options.limits, Content::records, watch);
                };
                files.push_back({*number, std::string(name), open});
            }
            if (auto added = recording->add_data_files(path, std::move(numbers), std::move(files)); !added) {
                return fail(std::move(added.error()));
            }
        }
        recording->bundle_ = std::move(*bundle);
        return recording;
    }

    // Returns the error for input that is no recording: it may be a bundle that was packed once more.
    static Error packed_twice(const Source& source, Error error) {
        constexpr std::size_t enough = std::size_t{512} << 10;  // the first blocks of both packings
        std::array<std::byte, 8> head{};
        const auto got = source.read_at(0, head);
        const auto packing = got ? packing_of(Bytes(head).first(*got)) : Packing::none;
        if (packing == Packing::none || error.code == ErrorCode::cancelled) return error;
        std::vector<std::byte> unpacked;
        const auto read = [&, offset = std::uint64_t{0}](std::span<std::byte> out) mutable {
            const auto some = source.read_at(offset, out);
            offset += some ? *some : 0;
            return std::expected<std::size_t, std::string>(some ? *some : 0);
        };
        unpack_stream(packing, read, [&](Bytes bytes) {
            unpacked.insert(unpacked.end(), bytes.begin(), bytes.end());
            return unpacked.size() < enough;
        });
        const auto inner = Bundle::is_bundle(*memory_source(unpacked));
        if (inner && *inner) error.detail = "is a bundle inside of another packing: unpack one";
        return error;
    }

  private:
    static Error no_recording(const Bundle& bundle, bool directory, Error error) {
        if (error.code == ErrorCode::cancelled) return error;
        const auto source = bundle.content(directory ? bundle_main_file : bundle_recording);
        if (!source) return error;
        const auto inner = Bundle::is_bundle(**source);
        if (inner && *inner) {
            error.detail = "the recording in this bundle is a bundle itself: unpack one";
            return error;
        }
        return packed_twice(**source, std::move(error));
    }
    // Somebody may have packed the recording once more.
    static Result<std::shared_ptr<const Source>> open_member(const Bundle& bundle, const std::string& name,
                                                             const Limits& limits, Content content,
                                                             const Watch& watch) {
        auto source = bundle.content(name, watch);
        if (!source) return source;
        return unpacked(std::move(*source), bundle.path() + ": " + name, limits, content, watch);
    }
};

namespace {

// Returns a regular file as it is; null if it is none, or cannot be opened.
std::shared_ptr<const Source> as_it_is(const std::string& path) {
    auto file = platform::open(path, {.no_wait = true});
    const auto status = file ? platform::status(file->get()) : std::unexpected(file.error());
    if (!status || !status->is_regular() || status->size == 0) return {};
    return std::make_shared<const FileSource>(std::move(*file), *status, path);
}

}  // namespace

Result<Recording> open_recording(const std::string& path, const OpenOptions& options) {
    return catch_bad_alloc([&]() -> Result<Recording> {
        const bool standard_input = path == "-";
        const auto status = standard_input ? std::unexpected(0) : platform::status(path);
        if (!standard_input && (!status || status->is_directory() || status->is_regular())) {
            auto source = as_it_is(path);
            const auto is_bundle = source ? Bundle::is_bundle(*source) : false;
            // If something is wrong with the file, opening it as a recording says what.
            if (!is_bundle || !*is_bundle) {
                auto recording = Recording::open(path, options);
                if (recording || !source) return recording;
                return fail(BundleOpener::packed_twice(*source, std::move(recording.error())));
            }
            return BundleOpener::bundled(std::move(source), path, options);
        }
        // A pipe is read once, whatever it has.
        auto source =
            open_source(path, options.limits, Content::recording_or_archive, {options.stop, options.progress});
        if (!source) return fail(std::move(source.error()));
        const auto is_bundle = Bundle::is_bundle(**source);
        if (!is_bundle) return fail(is_bundle.error());
        if (*is_bundle) return BundleOpener::bundled(std::move(*source), path, options);
        return BundleOpener::plain(std::move(*source), path, !standard_input, options);
    });
}

Result<Recording> open_recording(Shared<const Source> source, std::string name, const OpenOptions& options) {
    return catch_bad_alloc([&]() -> Result<Recording> {
        const auto is_bundle = source ? Bundle::is_bundle(*source) : false;
        if (!is_bundle || !*is_bundle) {
            auto recording = Recording::from_source(source, std::move(name), options);
            if (recording || !source) return recording;
            return fail(BundleOpener::packed_twice(*source, std::move(recording.error())));
        }
        const auto* object = source.get();
        std::shared_ptr<const Source> owner(object, [kept = std::move(source)](const Source*) {});
        return BundleOpener::bundled(std::move(owner), std::move(name), options);
    });
}

}  // namespace perfdata

// SPDX-License-Identifier: MIT
// Fuzz target: a bundle. Its first byte says how the rest is packed: into zstd frames of how many bytes, or not at all.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>
#include <zstd.h>

#include "perfdata/core/cursor.hpp"
#include "perfdata/recording/content.hpp"
#include "perfdata/symbols/bundle/bundle.hpp"
#include "perfdata/symbols/elf/find/file_system.hpp"
#include "perfdata/symbols/symbolizer_options.hpp"

#include "promise.hpp"

namespace {

using namespace perfdata;
using fuzz::require;

// Nothing is a file system without files: nothing beside the bundle may be opened.
class Nothing final : public FileSystem {
  public:
    Result<std::shared_ptr<const Source>> open(const FileName& name, const Limits&, Content) const override {
        require(false);
        return fail(ErrorCode::missing, Error::no_offset, name.path, "not there");
    }
    Result<std::string> read_kernel_file(const std::string& path, std::uint64_t) const override {
        require(false);
        return fail(ErrorCode::missing, Error::no_offset, path, "not there");
    }
};

// Kept owns the bytes that it reads.
class KeptInput final : public Source {
  public:
    explicit KeptInput(std::vector<std::byte> bytes) : bytes_(std::move(bytes)), view_(memory_source(bytes_)) {}
    std::uint64_t size() const override { return bytes_.size(); }
    Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> out) const override {
        return view_->read_at(offset, out);
    }

  private:
    std::vector<std::byte> bytes_;
    std::shared_ptr<const Source> view_;
};

// Packs the input into frames of that many bytes each.
std::vector<std::byte> in_frames(Bytes input, std::size_t piece) {
    std::vector<std::byte> all, frame(ZSTD_compressBound(piece));
    for (std::size_t at = 0; at < input.size(); at += piece) {
        const auto part = input.subspan(at, std::min(piece, input.size() - at));
        const auto size = ZSTD_compress(frame.data(), frame.size(), part.data(), part.size(), 1);
        require(ZSTD_isError(size) == 0);
        all.insert(all.end(), frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(size));
    }
    return all;
}

void check_members(const Shared<const Bundle>& bundle, const Limits& limits) {
    SymbolizerOptions options;
    options.files = std::make_shared<const Nothing>();
    Bundle::apply(bundle, options);
    fuzz::Touched touched;
    std::uint64_t all = 0;
    for (std::size_t number = 0; number < bundle->files().size(); ++number) {
        const auto& file = bundle->files()[number];
        require(bundle->find(file.name) == number);
        require(!file.name.starts_with('/') && !file.name.starts_with("../") && !file.name.contains("/../"));
        const auto content = bundle->content(file.name);
        if (!content) {
            require(!content.error().message().empty());
            continue;
        }
        require((*content)->size() <= file.size);
        require((*content)->size() == file.size || (*content)->damage());
        all += (*content)->size();
        const auto text = read_whole(**content, limits.unpacked_bytes);
        require(text && text->size() == (*content)->size());
        touched.text(*text);
        // The same, as a file of a directory.
        const FileName name{bundle->directory(), "/../x/../" + file.name};
        require(options.files->has(name));
        require(options.files->identity(name).has_value());
        (void)options.files->open(name, limits, Content::any);
        touched.text(options.files->shown(bundle->directory() + "/" + file.name));
        require(!options.files->has({bundle->directory() + "/" + file.name, "/../x"}) ||
                bundle->find(file.name + "/x"));
    }
    (void)all;
    std::vector<Error> problems;
    Bundle::tell_missing(*bundle, problems);
    for (const auto& problem : problems) touched.text(problem.message());
    for (const auto& problem : bundle->problems()) touched.text(problem.message());
    (void)bundle->losses();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    constexpr std::size_t most_frames = 64;
    auto limits = fuzz::small_limits();
    limits.archived_files = 256;
    const auto input = std::as_bytes(std::span(data, size)).subspan(1);
    const std::size_t choice = data[0];
    const auto piece = choice == 0 ? 0 : std::max<std::size_t>(choice * 64, input.size() / most_frames + 1);
    auto bytes = piece == 0 ? std::vector<std::byte>(input.begin(), input.end()) : in_frames(input, piece);
    const std::shared_ptr<const Source> source = std::make_shared<const KeptInput>(std::move(bytes));

    const auto known = Bundle::is_bundle(*source);
    require(known.has_value());
    const auto bundle = Bundle::open(source, "/home/it.bundle", limits);
    if (bundle) {
        check_members(*bundle, limits);
    } else {
        require(!bundle.error().message().empty());
    }
    const auto recording = open_recording(Shared<const Source>(source), "it", {limits, {}, {}});
    if (recording) require(*known == static_cast<bool>(recording->bundle()));
    return 0;
}

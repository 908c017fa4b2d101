// SPDX-License-Identifier: MIT
// Fuzz target: a tar-ball with a build-id cache. Whatever its names and links say, only the tar-ball may be opened.
#include <algorithm>
#include <string>

#include "perfdata/core/cursor.hpp"
#include "perfdata/symbols/elf/find/archived_files.hpp"

#include "promise.hpp"

namespace {

using namespace perfdata;
using fuzz::require;

const std::string tar_ball = "/home/perf.data.tar.bz2";

// Alone is a file system with the tar-ball only.
class Alone final : public FileSystem {
  public:
    explicit Alone(Bytes input) : input_(input) {}

    Result<std::shared_ptr<const Source>> open(const FileName& name, const Limits& limits,
                                               Content content) const override {
        require(name == FileName{"", tar_ball});
        return unpacked(memory_source(input_), tar_ball, limits, content);
    }
    Result<std::string> read_kernel_file(const std::string& path, std::uint64_t) const override {
        require(false);
        return fail(ErrorCode::missing, Error::no_offset, path, "not there");
    }

  private:
    Bytes input_;
};

void check_file(const ArchivedFiles& files, const std::string& name, const Limits& limits) {
    const auto source = files.open({"", tar_ball + "/" + name}, limits);
    if (!source) return require(!source.error().message().empty());
    require((*source)->size() <= limits.unpacked_bytes);
    const auto text = read_whole(**source, limits.unpacked_bytes);
    require(text && text->size() == (*source)->size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr std::size_t block = 512, name_size = 100, most_names = 64;
    const auto input = std::as_bytes(std::span(data, size));
    auto limits = fuzz::small_limits();
    limits.archived_files = 256;
    const auto files = ArchivedFiles::open(tar_ball, std::make_shared<Alone>(input), limits);
    if (!files) {
        require(!files.error().message().empty());
        return 0;
    }
    require((*files)->size() <= limits.archived_files);
    // Look for names and link targets where headers may be.
    for (std::size_t at = 0, names = 0; at < size && names < most_names; at += block) {
        const auto field = as_text(input.subspan(at, std::min(name_size, size - at)));
        const auto name = std::string(field.substr(0, field.find('\0')));
        if (name.empty()) continue;
        ++names;
        for (const auto* behind : {"", "/elf", "/../elf", "/../../../etc/passwd"}) {
            check_file(**files, name + behind, limits);
        }
    }
    return 0;
}

// SPDX-License-Identifier: MIT
#include "bundle_index.hpp"

#include <array>
#include <charconv>
#include <cstdlib>
#include <new>
#include <rapidjson/error/en.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>
#include <string_view>
#include <utility>

namespace perfdata {
namespace {

// IndexAllocator throws bad_alloc. RapidJSON's own return a null pointer, which its reader does not check.
class IndexAllocator {
  public:
    [[maybe_unused]] static const bool kNeedFree = true;

    void* Malloc(std::size_t size) { return size == 0 ? nullptr : got(std::malloc(size)); }
    void* Realloc(void* memory, std::size_t, std::size_t size) {
        if (size != 0) return got(std::realloc(memory, size));
        std::free(memory);
        return nullptr;
    }
    static void Free(void* memory) { std::free(memory); }

  private:
    static void* got(void* memory) {
        if (memory == nullptr) throw std::bad_alloc();
        return memory;
    }
};

// IndexHandler takes what the reader finds. It knows the key of the outermost object and the key of an object in a
// list.
class IndexHandler : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, IndexHandler> {
  public:
    IndexHandler(IndexedFiles& index, std::uint64_t most) : index_(index), room_(most) {}

    bool Default() { return true; }
    bool Bool(bool truth) {
        if (depth_ == 1 && outer_ == "sources") index_.facts.sources = truth;
        return true;
    }
    bool Int(int number) { return number < 0 || Uint64(static_cast<std::uint64_t>(number)); }
    bool Uint(unsigned number) { return Uint64(number); }
    bool Uint64(std::uint64_t number) {
        auto& facts = index_.facts;
        if (depth_ == 1 && outer_ == "perfdata_bundle") {
            facts.version = number;
            if (number > known_bundle_version) newer_ = std::to_string(number);
        }
        if (depth_ == 2 && outer_ == "left_out") count(facts.left_out, number);
        if (depth_ == 2 && outer_ == "anonymized") count(facts.anonymized, number);
        if (auto* file = member(); file != nullptr && inner_ == "size") file->size = number;
        if (auto* file = member(); file != nullptr && inner_ == "samples") file->samples = number;
        if (auto* file = missing(); file != nullptr && inner_ == "samples") file->samples = number;
        return true;
    }
    bool String(const char* text, rapidjson::SizeType size, bool) {
        const std::string_view value(text, size);
        auto& facts = index_.facts;
        if (depth_ == 1 && outer_ == "recording") facts.recording = value;
        if (depth_ == 1 && outer_ == "debug") facts.debug = value;
        if (auto* file = member()) {
            if (inner_ == "name") file->name = value;
            if (inner_ == "kind") file->kind = value;
            if (inner_ == "path") file->path = value;
            if (inner_ == "build_id") file->build_id = value;
            if (inner_ == "sha256") file->sha256 = value;
            if (inner_ == "recorded") file->recorded = value;
        }
        if (auto* file = missing()) {
            if (inner_ == "path") file->path = value;
            if (inner_ == "build_id") file->build_id = value;
            if (inner_ == "why") file->why = value;
            if (inner_ == "kind") file->kind = value;
            if (inner_ == "reason") file->reason = value;
        }
        return true;
    }
    bool Key(const char* text, rapidjson::SizeType size, bool) {
        if (depth_ == 1) outer_.assign(text, size);
        if (depth_ == 2 || depth_ == 3) inner_.assign(text, size);
        return true;
    }
    bool Double(double number) {
        constexpr auto known = static_cast<double>(known_bundle_version);
        if (depth_ != 1 || outer_ != "perfdata_bundle") return true;
        std::array<char, 64> text{};
        const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
        if (number > known) newer_.assign(text.data(), end);
        if (number == known) index_.facts.version = known_bundle_version;
        return true;
    }
    bool StartObject() {
        if (depth_ == 2 && in_list_) add();
        return down();
    }
    bool EndObject(rapidjson::SizeType) { return up(); }
    bool StartArray() {
        if (depth_ == 1) in_list_ = true;
        return down();
    }
    bool EndArray(rapidjson::SizeType) { return up(); }

    bool is_deep() const { return depth_ > deepest; }
    // Returns the version if it is a newer one, as a text.
    const std::string& newer() const { return newer_; }

  private:
    // The reader keeps several bytes for each level, whatever is in it.
    static constexpr std::uint64_t deepest = 64;

    bool down() { return ++depth_ <= deepest; }
    bool up() {
        --depth_;
        if (depth_ == 1) in_list_ = false;
        if (depth_ == 2) taken_ = false;
        return true;
    }
    // Begins the next member or missing file, as far as there is room.
    void add() {
        inner_.clear();
        taken_ = false;
        const bool is_member = outer_ == "members";
        if (!is_member && outer_ != "missing") return;
        if (room_ == 0) {
            ++index_.more;
            return;
        }
        --room_;
        taken_ = true;
        if (is_member) {
            index_.files.emplace_back().size = any_size;
        } else {
            index_.facts.missing.emplace_back();
        }
    }
    BundledFile* member() { return depth_ == 3 && taken_ && outer_ == "members" ? &index_.files.back() : nullptr; }
    MissingFile* missing() {
        return depth_ == 3 && taken_ && outer_ == "missing" ? &index_.facts.missing.back() : nullptr;
    }
    void count(std::vector<std::pair<std::string, std::uint64_t>>& counts, std::uint64_t number) {
        constexpr std::size_t most_kinds = 256;
        if (!in_list_ && counts.size() < most_kinds) counts.emplace_back(inner_, number);
    }

    IndexedFiles& index_;
    std::uint64_t room_, depth_ = 0;
    bool in_list_ = false;  // in an array of the outermost object
    bool taken_ = false;    // in an object that add() began
    std::string outer_, inner_, newer_;
};

}  // namespace

Result<IndexedFiles> read_bundle_index(std::string_view text, const std::string& path, const Limits& limits) {
    IndexedFiles index;
    IndexHandler handler(index, limits.archived_files);
    rapidjson::MemoryStream stream(text.data(), text.size());
    IndexAllocator allocator;
    rapidjson::GenericReader<rapidjson::UTF8<>, rapidjson::UTF8<>, IndexAllocator> reader(&allocator);
    constexpr unsigned flags = rapidjson::kParseIterativeFlag | rapidjson::kParseValidateEncodingFlag;
    if (const auto parsed = reader.Parse<flags>(stream, handler); parsed.IsError()) {
        return fail(ErrorCode::malformed, parsed.Offset(), path,
                    std::string("is no index: ") +
                        (handler.is_deep() ? "it is nested too deep" : rapidjson::GetParseError_En(parsed.Code())));
    }
    if (!handler.newer().empty()) {
        return fail(ErrorCode::unsupported, Error::no_offset, path,
                    "a newer perfdata wrote this bundle: version " + handler.newer() + ", this one reads " +
                        std::to_string(known_bundle_version));
    }
    if (index.facts.version == 0) {
        return fail(ErrorCode::malformed, Error::no_offset, path, "is no index: it has no number perfdata_bundle");
    }
    return index;
}

}  // namespace perfdata

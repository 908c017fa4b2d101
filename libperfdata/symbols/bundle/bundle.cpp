// SPDX-License-Identifier: MIT
#include "perfdata/symbols/bundle/bundle.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <optional>
#include <ranges>
#include <tuple>
#include <utility>

#include "perfdata/core/catch_bad_alloc.hpp"
#include "perfdata/core/cursor.hpp"
#include "perfdata/core/utf8.hpp"
#include "perfdata/recording/content.hpp"
#include "perfdata/symbols/bundle/bundle_packer.hpp"

#include "bundle_index.hpp"
#include "bundle_members.hpp"
#include "bundle_names.hpp"
#include "packed_frames.hpp"
#include "recording/content_check.hpp"
#include "recording/lock_or_stop.hpp"
#include "recording/look_out.hpp"
#include "recording/slice.hpp"
#include "recording/unpack.hpp"

namespace perfdata {
namespace {

constexpr std::size_t tar_head = 512;
constexpr std::uint64_t largest_index = std::uint64_t{1} << 26;

// Returns the name as the index spells it: JSON has no bytes that are not UTF-8.
std::string as_in_json(std::string_view name) {
    std::string text;
    while (!name.empty()) {
        const auto length = utf8_length(name);
        if (length == 0) text += "\xef\xbf\xbd";
        text += name.substr(0, length);
        name.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return text;
}

}  // namespace

// Member is where a member is.
struct Bundle::Member {
    std::uint64_t at = 0, size = 0, claimed = 0;
    bool other_size = false;  // than the index says
};

// Late is what changes while a bundle is read.
struct Bundle::Late {
    // Members share these: few are unpacked at once.
    std::array<OwnedMutex, 16> unpacking;
    mutable std::mutex mutex;
    std::vector<std::optional<Result<std::shared_ptr<const Source>>>> contents;  // by number
    // By number of the member, so that threads tell them in one order. Of each at most two: why it was refused before
    // it was unpacked (of several reasons the least), and how it was unpacked.
    enum class Step : std::uint8_t { refused, unpacked };
    std::map<std::pair<std::size_t, Step>, Error> losses;
};

Bundle::Bundle(std::string path, const Limits& limits)
    : path_(std::move(path)), directory_(path_), limits_(limits), late_(std::make_unique<Late>()) {
    // A bundle without a name must not hide files of this machine.
    if (path_.empty()) directory_ = "bundle:";
}
Bundle::~Bundle() = default;

Result<bool> Bundle::is_bundle(const Source& source) {
    std::array<std::byte, tar_head> head{};
    const auto got = source.read_at(0, head);
    if (!got) return fail(got.error());
    const auto start = Bytes(head).first(*got);
    const auto is_tar = [](Bytes bytes) {
        ContentCheck check(Content::archive, {});
        return bytes.size() >= tar_head && check.more(bytes).has_value();
    };
    const auto packing = packing_of(start);
    if (packing == Packing::none) return is_tar(start);
    std::vector<std::byte> unpacked;
    if (packing == Packing::zstd) {
        unpacked.resize(tar_head);
        const auto count = PackedFrames::beginning(source, unpacked);
        if (!count) return fail(count.error());
        return is_tar(Bytes(unpacked).first(*count));
    }
    const auto read = [&, offset = std::uint64_t{0}](std::span<std::byte> out) mutable {
        const auto some = source.read_at(offset, out);
        offset += some ? *some : 0;
        return std::expected<std::size_t, std::string>(some ? *some : 0);
    };
    unpack_stream(packing, read, [&](Bytes bytes) {
        unpacked.insert(unpacked.end(), bytes.begin(), bytes.end());
        return unpacked.size() < tar_head;
    });
    return is_tar(unpacked);
}

Result<Shared<const Bundle>> Bundle::open(std::shared_ptr<const Source> source, std::string path, const Limits& limits,
                                          const Watch& watch) {
    return catch_bad_alloc([&]() -> Result<Shared<const Bundle>> {
        const std::shared_ptr<Bundle> bundle(new Bundle(std::move(path), limits));
        try {
            bundle->source_ = source;
            LookOut look(watch, source->size());
            if (auto read = bundle->read(std::move(source), look); !read) return fail(std::move(read.error()));
        } catch (const Stopped&) {
            return fail(ErrorCode::cancelled, Error::no_offset, bundle->path_, "asked to stop");
        }
        return Shared<const Bundle>(std::shared_ptr<const Bundle>(bundle));
    });
}

void Bundle::problem(ErrorCode code, std::string why) {
    problems_.push_back({code, Error::no_offset, path_, std::move(why)});
}

Result<void> Bundle::read(std::shared_ptr<const Source> source, LookOut& look) {
    std::array<std::byte, 8> head{};
    const auto got = source->read_at(0, head);
    if (!got) return fail(got.error());
    const auto packing = packing_of(Bytes(head).first(*got));
    const auto packed_size = source->size();
    if (packing == Packing::zstd) {
        auto frames = PackedFrames::scan(source, path_, limits_, look);
        if (!frames) return fail(std::move(frames.error()));
        frames_ = std::move(*frames);
        tar_ = frames_;
    }
    if (!frames_) {
        auto plain = unpacked(std::move(source), path_, limits_, Content::archive, look.watch());
        if (!plain && plain.error().code == ErrorCode::cancelled) throw Stopped();
        if (!plain) return fail(std::move(plain.error()));
        tar_ = std::move(*plain);
    }
    if (auto damage = tar_->damage()) problems_.push_back(std::move(*damage));

    FoundMembers found;
    auto searched = frames_ ? find_in_frames(packed_size, look, found)
                            : find_members(*tar_, packed_size, path_, limits_, look, found);
    if (!searched) return searched;
    std::ranges::move(found.problems, std::back_inserter(problems_));
    if (found.breaks > 1) {
        problem(ErrorCode::malformed, std::to_string(found.breaks - 1) + " more of its frames cannot be read");
    }
    if (found.damaged_headers != 0) {
        problem(ErrorCode::malformed,
                std::to_string(found.damaged_headers) +
                    (found.damaged_headers == 1 ? " header of a member is" : " headers of members are") + " damaged");
    }
    files_.reserve(found.members.size());  // by_name_ has views of the names
    std::uint64_t twice = 0, shorter = 0;
    for (auto& member : found.members) {
        look();
        if (by_name_.contains(member.name)) {
            ++twice;
            continue;
        }
        if (member.size != member.claimed && shorter++ == 0) {
            problem(ErrorCode::truncated, member.name + " breaks off: " + std::to_string(member.size) + " of " +
                                              std::to_string(member.claimed) + " bytes are there");
        }
        files_.push_back({std::move(member.name), {}, {}, {}, {}, member.size});
        members_.push_back({member.at, member.size, member.claimed, false});
        by_name_.emplace(files_.back().name, files_.size() - 1);
    }
    if (twice != 0) {
        problem(ErrorCode::malformed, std::to_string(twice) +
                                          " of its members have names that others have: the first "
                                          "of a name is taken");
    }
    if (shorter > 1) {
        problem(ErrorCode::truncated, std::to_string(shorter - 1) +
                                          (shorter == 2 ? " more member breaks off" : " more members break off") +
                                          " before the size in its header");
    }
    late_->contents.resize(files_.size());
    if (!by_name_.contains(bundle_recording) && !by_name_.contains(bundle_main_file)) {
        if (found.unreadable) return fail(std::move(*found.unreadable));
        return fail(ErrorCode::not_perf_data, Error::no_offset, path_,
                    "it is a tar-ball, but no bundle of perfdata collect: there is no perf.data at its root");
    }
    return read_index(look);
}

// A frame that cannot be read costs its member: the next frame begins with a header.
Result<void> Bundle::find_in_frames(std::uint64_t packed_size, LookOut& look, FoundMembers& found) const {
    const std::shared_ptr<const PackedFrames::HeadsSource> heads = frames_->heads(look);
    const auto& frames = frames_->frames();
    // Each takes a new reader. Frames that cannot be read are rare, unless they are made for this.
    constexpr std::uint64_t most_restarts = 1024;
    std::uint64_t restarts = 0;
    for (std::uint64_t begin = 0;;) {
        const auto known = found.members.size();
        const Slice rest(heads, begin, heads->size() - begin);
        auto searched = find_members(rest, packed_size, path_, limits_, look, found);
        heads->rethrow();
        if (!searched && begin == 0) return searched;
        if (!searched) ++found.breaks;
        for (auto at = known; at < found.members.size(); ++at) found.members[at].at += begin;
        // What is no header belongs to a member in several frames.
        const auto stopped = searched ? found.unreadable_at : std::optional<std::uint64_t>(0);
        if (!stopped) return {};
        const auto next = frames_->frame_at(begin + *stopped) + 1;
        if (next >= frames.size()) return {};
        if (++restarts > most_restarts) {
            found.problems.push_back({ErrorCode::limit, Error::no_offset, path_,
                                      "more than " + std::to_string(most_restarts) + " of its frames cannot be read: " +
                                          std::to_string(frames.size() - next) + " more are not looked at"});
            return {};
        }
        begin = frames[next].at;
    }
}

Result<void> Bundle::read_index(const LookOut& look) {
    const auto number = find(bundle_index);
    if (!number) {
        problem(ErrorCode::missing, "has no index bundle.json: nothing says whether its members are whole");
        return {};
    }
    const auto where = path_ + ": " + std::string(bundle_index);
    const auto source = slice(*number, look);
    auto text = source ? read_whole(**source, std::min(limits_.section_bytes, largest_index), look.watch())
                       : fail(source.error());
    if (!text && text.error().code == ErrorCode::cancelled) throw Stopped();
    if (!text) {
        problem(text.error().code, std::string(bundle_index) + " cannot be read: " + text.error().detail);
        return {};
    }
    auto index = read_bundle_index(*text, where, limits_);
    if (!index && index.error().code == ErrorCode::unsupported) {
        index.error().where = path_;
        return fail(std::move(index.error()));
    }
    if (!index) {
        problems_.push_back(std::move(index.error()));
        return {};
    }
    facts_ = std::move(index->facts);
    if (index->more != 0) {
        problem(ErrorCode::limit,
                std::string(bundle_index) + " lists more than " + std::to_string(limits_.archived_files) + " files");
    }
    // Names that are no UTF-8 may be equal there: they are in the order of the tar-ball. Each is taken once, so that
    // many equal ones are not searched again and again.
    std::multimap<std::string, std::size_t> spelled;
    for (std::size_t at = 0; at < files_.size(); ++at) spelled.emplace(as_in_json(files_[at].name), at);
    std::uint64_t absent = 0, other_size = 0;
    std::string first_absent, first_other;
    for (auto& said : index->files) {
        look.ask();
        const auto free = spelled.lower_bound(said.name);
        if (free == spelled.end() || free->first != said.name) {
            if (absent++ == 0) first_absent = said.path.empty() ? said.name : said.path;
            continue;
        }
        auto& file = files_[free->second];
        if (said.size != any_size && said.size != file.size) {
            members_[free->second].other_size = true;
            if (other_size++ == 0) first_other = file.name;
        }
        file.kind = std::move(said.kind);
        file.path = std::move(said.path);
        file.build_id = std::move(said.build_id);
        file.sha256 = std::move(said.sha256);
        file.samples = said.samples;
        file.recorded = std::move(said.recorded);
        spelled.erase(free);
    }
    const auto itself = spelled.find(std::string(bundle_index));
    if (itself != spelled.end()) spelled.erase(itself);
    if (!spelled.empty()) {
        const auto first = std::ranges::min(spelled | std::views::values);
        problem(ErrorCode::mismatch, std::to_string(spelled.size()) +
                                         (spelled.size() == 1 ? " member is" : " members are") +
                                         " not in its index, the first is \"" + files_[first].name + "\"");
    }
    if (!facts_.recording.empty() && facts_.recording != bundle_recording) {
        problem(ErrorCode::mismatch, "its index names another recording: \"" + facts_.recording + "\"");
    }
    if (absent != 0) {
        problem(ErrorCode::missing, std::to_string(absent) + (absent == 1 ? " member" : " members") + " of its index " +
                                        (absent == 1 ? "is" : "are") + " not there, the first is \"" + first_absent +
                                        "\"");
    }
    if (other_size != 0) {
        problem(ErrorCode::mismatch, std::to_string(other_size) + (other_size == 1 ? " member has" : " members have") +
                                         " other sizes than its index says, the first is \"" + first_other + "\"");
    }
    return {};
}

std::optional<std::size_t> Bundle::find(std::string_view name) const {
    const auto known = by_name_.find(name);
    return known == by_name_.end() ? std::nullopt : std::optional(known->second);
}

DiagnosticLog Bundle::losses() const {
    const std::scoped_lock lock(late_->mutex);
    DiagnosticLog losses(limits_.diagnostics);
    for (const auto& [step, loss] : late_->losses) losses.add(loss);
    return losses;
}

Result<std::shared_ptr<const Source>> Bundle::content(std::string_view name, const Watch& watch) const {
    const auto number = find(name);
    if (!number)
        return fail(ErrorCode::missing, Error::no_offset, path_ + "/" + std::string(name), "is not in the bundle");
    try {
        const LookOut look(watch);
        const auto lock = lock_or_stop(late_->unpacking[*number % late_->unpacking.size()], look);
        {
            const std::scoped_lock short_lock(late_->mutex);
            if (const auto& known = late_->contents[*number]) return *known;
        }
        auto content = unpack(*number, look);
        if (!content && content.error().code == ErrorCode::busy) return content;  // nothing is known of it
        const std::scoped_lock short_lock(late_->mutex);
        if (!content) late_->losses.try_emplace({*number, Late::Step::unpacked}, content.error());
        return *(late_->contents[*number] = std::move(content));
    } catch (const Stopped&) {
        return fail(ErrorCode::cancelled, Error::no_offset, path_, "asked to stop");
    } catch (const Reentered&) {
        return std::unexpected(Reentered::error());
    }
}

Result<std::shared_ptr<const Source>> Bundle::content(std::string_view name, const Limits& limits, Content expected,
                                                      const Watch& watch) const {
    constexpr std::uint64_t short_member = std::uint64_t{256} << 10;  // unpacked to memory
    const auto number = find(name);
    if (!number) return content(name, watch);
    const auto& file = files_[*number];
    const auto where = path_ + ": " + file.name;
    const auto refuse = [&](Error error) {
        error.where = where;
        const std::scoped_lock lock(late_->mutex);
        auto& told = late_->losses.try_emplace({*number, Late::Step::refused}, error).first->second;
        if (std::tie(error.code, error.detail) < std::tie(told.code, told.detail)) told = error;
        return fail(std::move(error));
    };
    if (file.size > limits.unpacked_bytes) {
        return refuse(
            {ErrorCode::limit, Error::no_offset, where,
             std::to_string(file.size) + " bytes; at most " + std::to_string(limits.unpacked_bytes) + " are read"});
    }
    // Also of what is unpacked already, for whoever takes it as something else: whether that is a loss must not depend
    // on who came first.
    const auto known = [&]() -> std::shared_ptr<const Source> {
        const std::scoped_lock lock(late_->mutex);
        const auto& content = late_->contents[*number];
        return content && *content ? **content : nullptr;
    }();
    if (frames_ && file.size > short_member) {
        try {
            const LookOut look(watch);
            std::array<std::byte, tar_head> head{};
            Result<std::size_t> got = 0;
            if (known) {
                got = known->read_at(0, head);
            } else {
                const auto heads = frames_->heads(look);
                got = heads->read_at(members_[*number].at, head);
                heads->rethrow();
            }
            ContentCheck check(expected, where);
            if (got && *got == head.size() && packing_of(head) == Packing::none) {
                if (auto right = check.more(head); !right) return refuse(std::move(right.error()));
            }
        } catch (const Stopped&) {
            return fail(ErrorCode::cancelled, Error::no_offset, path_, "asked to stop");
        }
    }
    return content(name, watch);
}

// Compares the content with its hash. Of a recording, any part is better than nothing.
Result<std::shared_ptr<const Source>> Bundle::unpack(std::size_t number, const LookOut& look) const {
    const auto& file = files_[number];
    const auto where = path_ + ": " + file.name;
    auto source = slice(number, look);
    if (!source) {
        source.error().where = where;
        return source;
    }
    const bool recording = file.name == bundle_recording || file.name.starts_with(bundle_directory);
    auto damage = (*source)->damage();
    if (!damage && file.sha256.empty() && members_[number].other_size) {
        damage = Error{ErrorCode::mismatch, Error::no_offset, where,
                       "it is not what the bundle's index says: its size differs"};
    }
    if (!damage && !file.sha256.empty()) {
        const auto hash = sha256_of(**source, {look.watch().stop, {}});
        if (!hash && hash.error().code == ErrorCode::cancelled) throw Stopped();
        if (!hash) return fail(hash.error());
        if (*hash != file.sha256) {
            damage = Error{ErrorCode::mismatch, Error::no_offset, where,
                           "it is not what the bundle's index says: its hash differs"};
        }
    }
    if (!damage) return source;
    damage->where = where;
    if (!recording) return fail(std::move(*damage));
    const auto size = (*source)->size();
    return std::make_shared<const Slice>(std::move(*source), 0, size, std::move(damage));
}

// Returns the part of the tar-ball, unpacked.
Result<std::shared_ptr<const Source>> Bundle::slice(std::size_t number, const LookOut& look) const {
    const auto& [at, size, claimed, other_size] = members_[number];
    std::optional<Error> damage;
    if (size != claimed) {
        damage = Error{ErrorCode::truncated, Error::no_offset, path_, "it breaks off"};
    }
    if (!frames_ || size == 0) return std::make_shared<const Slice>(tar_, at, size, std::move(damage));
    const auto first = frames_->frame_at(at), last = frames_->frame_at(at + size - 1);
    std::shared_ptr<const Source> content;
    for (auto frame = first; frame <= last; ++frame) {
        auto unpacked = frames_->content(frame, look);
        if (!unpacked) return unpacked;
        content = std::move(*unpacked);
        if (!content->damage()) continue;
        // What is there up to the damage; nothing of frames behind it.
        const auto begin = frames_->frames()[frame].at;
        const auto end = std::clamp(begin + content->size(), at, at + size);
        if (first == last)
            return std::make_shared<const Slice>(content, at - begin, end - std::min(at, end), content->damage());
        return std::make_shared<const Slice>(tar_, at, std::max(begin, at) - at, content->damage());
    }
    if (first == last) {
        return std::make_shared<const Slice>(content, at - frames_->frames()[first].at, size, std::move(damage));
    }
    return std::make_shared<const Slice>(tar_, at, size, std::move(damage));
}

}  // namespace perfdata

// SPDX-License-Identifier: MIT
#include "mutator.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <string_view>
#include <vector>

#include "perfdata/recording/record_stream.hpp"

#include "choices.hpp"
#include "support/random.hpp"

namespace perfdata::fuzz {
namespace {

using test::Random;
using Buffer = std::vector<std::uint8_t>;

constexpr std::size_t header_bytes = 104, pipe_header_bytes = 16, frame_bytes = 8;
constexpr std::size_t most_records = 4096;

// Offsets of places in the file header: attrs, data, event types.
constexpr std::array<std::size_t, 3> places = {24, 40, 56};
constexpr std::size_t attr_size_at = 16, attrs_at = 24, data_at = 40, bitmap_at = 72;

struct Part {
    std::size_t begin = 0, size = 0;
};
struct FeaturePart {
    Part payload;
    std::size_t entry = 0;  // in the feature table
    unsigned number = 0;
};

// File is a recording under change. Its parts are located again after each change.
class File {
  public:
    explicit File(Buffer content) : content_(std::move(content)) { look(); }

    bool known() const { return known_; }
    bool pipe() const { return pipe_; }
    Buffer& content() { return content_; }
    const std::vector<Part>& records() const { return records_; }
    const std::vector<FeaturePart>& features() const { return features_; }
    Part attrs() const { return attrs_; }
    Part data() const { return data_; }
    std::size_t attr_stride() const { return stride_; }

    std::uint64_t load(std::size_t at, std::size_t size) const {
        std::uint64_t value = 0;
        for (std::size_t index = 0; index < size; ++index) {
            value = value << 8 | content_[at + (big_ ? index : size - 1 - index)];
        }
        return value;
    }
    void store(std::size_t at, std::size_t size, std::uint64_t value) {
        for (std::size_t index = 0; index < size; ++index) {
            content_[at + (big_ ? size - 1 - index : index)] = static_cast<std::uint8_t>(value >> 8 * index);
        }
    }
    // replace(part, bytes) moves everything behind the part, and updates header, feature table and ids.
    void replace(Part part, const Buffer& bytes);
    void look();

  private:
    Part inside(std::uint64_t offset, std::uint64_t size) const {
        const auto begin = std::min<std::uint64_t>(offset, content_.size());
        return {static_cast<std::size_t>(begin),
                static_cast<std::size_t>(std::min<std::uint64_t>(size, content_.size() - begin))};
    }
    void look_at_records();
    void look_at_features();

    Buffer content_;
    bool known_ = false, pipe_ = false, big_ = false;
    std::size_t stride_ = 0;
    Part attrs_, data_;
    std::vector<Part> records_;
    std::vector<FeaturePart> features_;
};

void File::look() {
    records_.clear();
    features_.clear();
    known_ = false;
    if (content_.size() < pipe_header_bytes) return;
    const std::string_view magic(reinterpret_cast<const char*>(content_.data()), 8);
    if (magic != "PERFILE2" && magic != "2ELIFREP") return;
    big_ = magic == "2ELIFREP";
    pipe_ = load(8, 8) == pipe_header_bytes;
    known_ = pipe_ || content_.size() >= header_bytes;
    if (!known_) return;
    if (pipe_) {
        attrs_ = {};
        data_ = {pipe_header_bytes, content_.size() - pipe_header_bytes};
    } else {
        stride_ = static_cast<std::size_t>(std::clamp<std::uint64_t>(load(attr_size_at, 8), 80, 4096));
        attrs_ = inside(load(attrs_at, 8), load(attrs_at + 8, 8));
        data_ = inside(load(data_at, 8), load(data_at + 8, 8));
        look_at_features();
    }
    look_at_records();
}

void File::look_at_records() {
    for (auto at = data_.begin; at + frame_bytes <= data_.begin + data_.size;) {
        const auto size = static_cast<std::size_t>(load(at + 6, 2));
        if (size < frame_bytes || size > data_.begin + data_.size - at || records_.size() == most_records) break;
        records_.push_back({at, size});
        at += size;
    }
}

void File::look_at_features() {
    auto entry = data_.begin + data_.size;
    for (unsigned number = 0; number < 256 && entry + 16 <= content_.size(); ++number) {
        if ((load(bitmap_at + number / 64 * 8, 8) >> number % 64 & 1) == 0) continue;
        features_.push_back({inside(load(entry, 8), load(entry + 8, 8)), entry, number});
        entry += 16;
    }
}

void File::replace(Part part, const Buffer& bytes) {
    const auto end = part.begin + part.size;
    // Offsets behind the part move; unsigned arithmetic wraps if the part shrinks.
    const auto moved = std::uint64_t{bytes.size()} - part.size;
    const auto move = [&](std::size_t at) {
        const auto offset = load(at, 8);
        if (offset >= end && offset <= content_.size()) store(at, 8, offset + moved);
    };
    if (!pipe_) {
        for (const auto at : places) {
            const auto begin = load(at, 8), size = load(at + 8, 8);
            if (part.begin >= begin && end <= begin + size && begin + size >= begin) store(at + 8, 8, size + moved);
            if (part.begin != begin) move(at);
        }
        for (auto at = attrs_.begin + stride_; stride_ != 0 && at <= attrs_.begin + attrs_.size; at += stride_) {
            move(at - 16);
        }
        for (const auto& feature : features_) {
            const bool same = feature.payload.begin == part.begin && feature.payload.size == part.size;
            if (same) {
                store(feature.entry + 8, 8, bytes.size());
            } else {
                move(feature.entry);
            }
        }
    }
    const auto at = [&](std::size_t index) { return content_.begin() + static_cast<std::ptrdiff_t>(index); };
    content_.erase(at(part.begin), at(end));
    content_.insert(at(part.begin), bytes.begin(), bytes.end());
    look();
}

// Change is one random change of a file.
class Change {
  public:
    Change(File& file, Random& random, const ByteMutator& bytes, std::size_t most)
        : file_(file), random_(random), bytes_(bytes), most_(most) {}

    void make() {
        using Step = void (Change::*)();
        static constexpr Step steps[] = {
            &Change::duplicate_record, &Change::remove_record, &Change::swap_records,  &Change::copy_record,
            &Change::insert_record,    &Change::resize_record, &Change::change_body,   &Change::record_field,
            &Change::record_field,     &Change::record_header, &Change::attr_field,    &Change::attr_bits,
            &Change::feature_field,    &Change::feature_field, &Change::feature_bytes, &Change::copy_feature,
            &Change::drop_feature,     &Change::header_field,  &Change::times,         &Change::record_text};
        (this->*steps[random_.size(std::size(steps))])();
    }

  private:
    bool room(std::size_t more) const { return file_.content().size() + more <= most_; }
    std::optional<Part> any_record() {
        const auto& all = file_.records();
        if (all.empty()) return {};
        return all[random_.size(all.size())];
    }
    Buffer bytes_of(Part part) const {
        const auto begin = file_.content().begin() + static_cast<std::ptrdiff_t>(part.begin);
        return {begin, begin + static_cast<std::ptrdiff_t>(part.size)};
    }
    // Returns a place where a record may begin.
    std::size_t border() {
        const auto record = any_record();
        return !record ? file_.data().begin : random_.one_in(8) ? record->begin + record->size : record->begin;
    }

    void duplicate_record() {
        const auto record = any_record();
        if (record && room(record->size)) file_.replace({record->begin, 0}, bytes_of(*record));
    }
    void remove_record() {
        const auto record = any_record();
        if (record && file_.records().size() > 1) file_.replace(*record, {});
    }
    void swap_records() {
        auto one = any_record(), other = any_record();
        if (!one || one->begin == other->begin) return;
        if (one->begin > other->begin) std::swap(one, other);
        const auto first = bytes_of(*one), second = bytes_of(*other);
        file_.replace(*other, first);
        file_.replace(*one, second);
    }
    void copy_record() {
        const auto record = any_record();
        if (record && room(record->size)) file_.replace({border(), 0}, bytes_of(*record));
    }
    // Inserts a record of any type, sometimes with a body from elsewhere in the file.
    void insert_record() {
        const auto size = frame_bytes + 8 * random_.size(24);
        if (!room(size)) return;
        Buffer body(size);
        for (auto& byte : body) byte = random_.one_in(3) ? random_.u8() : 0;
        if (random_.one_in(2) && file_.content().size() > size) {
            body = bytes_of({random_.size(file_.content().size() - size), size});
        }
        const auto at = border();
        file_.replace({at, 0}, body);
        const auto type = random_.one_in(2) ? 1 + random_.below(22) : 64 + random_.below(23);
        file_.store(at, 4, type);
        file_.store(at + 4, 2, random_.one_in(2) ? 1 + random_.below(2) : random_.u16());
        file_.store(at + 6, 2, size);
        file_.look();
    }
    void resize_record() {
        const auto record = any_record();
        if (!record) return;
        auto content = bytes_of(*record);
        const auto size = frame_bytes + 8 * random_.size(content.size() / 8 + 4);
        if (size > 0xfff8 || !room(size)) return;
        content.resize(random_.one_in(8) ? size + random_.size(8) : size);
        if (!room(content.size())) return;
        file_.replace(*record, content);
        file_.store(record->begin + 6, 2, content.size());
        file_.look();
    }
    // Applies libFuzzer's own mutation, with its dictionary, within one record.
    void change_body() {
        const auto record = any_record();
        if (!record || record->size == frame_bytes || record->size > 0xff00) return;
        auto content = bytes_of(*record);
        const auto size = content.size() - frame_bytes;
        const auto most =
            std::min<std::size_t>({size + 64, std::size_t{0xfff0}, size + most_ - file_.content().size()});
        content.resize(frame_bytes + most);
        auto changed = bytes_(content.data() + frame_bytes, size, std::max<std::size_t>(most, 1));
        if (random_.one_in(2)) changed = size;
        content.resize(frame_bytes + (changed + 7) / 8 * 8);
        if (content.size() > frame_bytes + most) content.resize(frame_bytes + most);
        file_.replace(*record, content);
        file_.store(record->begin + 6, 2, content.size());
        file_.look();
    }
    void record_field() {
        if (const auto record = any_record()) field({record->begin + frame_bytes, record->size - frame_bytes});
    }
    void record_header_of(std::size_t at) {
        switch (random_.below(4)) {
            case 0: file_.store(at, 4, random_.one_in(2) ? 1 + random_.below(22) : 64 + random_.below(23)); break;
            case 1: file_.store(at + 4, 2, random_.below(8) | random_.below(4) << 13); break;
            case 2: file_.store(at + 4, 2, random_.u16()); break;
            default: file_.store(at + 6, 2, file_.load(at + 6, 2) + random_.below(5) * 4 - 8); break;
        }
        file_.look();
    }
    void record_header() {
        if (const auto record = any_record()) record_header_of(record->begin);
    }
    void attr_field() {
        if (file_.attrs().size != 0) field(file_.attrs());
    }
    // Flips a bit that determines the layout of samples.
    void attr_bits() {
        const auto attrs = file_.attrs();
        const auto stride = file_.attr_stride();
        if (stride == 0 || attrs.size < stride) return;
        const auto at = attrs.begin + random_.size(attrs.size / stride) * stride;
        struct Field {
            std::size_t offset;
            unsigned bits;
        };
        static constexpr Field fields[] = {{24, 25}, {24, 25}, {32, 5}, {40, 40}, {72, 20}, {80, 64}, {96, 64}};
        const auto& [offset, bits] = fields[random_.size(std::size(fields))];
        if (at + offset + 8 > file_.content().size()) return;
        file_.store(at + offset, 8, file_.load(at + offset, 8) ^ std::uint64_t{1} << random_.below(bits));
    }
    void feature_field() {
        if (file_.features().empty()) return;
        field(file_.features()[random_.size(file_.features().size())].payload);
    }
    void feature_bytes() {
        if (file_.features().empty()) return;
        const auto part = file_.features()[random_.size(file_.features().size())].payload;
        // Change a piece of it, which may grow or shrink.
        const auto begin = random_.size(part.size + 1);
        const auto size = std::min<std::size_t>(part.size - begin, random_.size(256));
        auto content = bytes_of(part);
        Buffer stretch(content.begin() + static_cast<std::ptrdiff_t>(begin),
                       content.begin() + static_cast<std::ptrdiff_t>(begin + size));
        const auto most = std::max<std::size_t>(1, size + std::min<std::size_t>(64, most_ - file_.content().size()));
        if (!room(most - size)) return;
        stretch.resize(most);
        stretch.resize(bytes_(stretch.data(), size, most));
        if (random_.one_in(2)) stretch.resize(size);
        content.erase(content.begin() + static_cast<std::ptrdiff_t>(begin),
                      content.begin() + static_cast<std::ptrdiff_t>(begin + size));
        content.insert(content.begin() + static_cast<std::ptrdiff_t>(begin), stretch.begin(), stretch.end());
        file_.replace(part, content);
    }
    void copy_feature() {
        if (file_.features().size() < 2) return;
        const auto one = file_.features()[random_.size(file_.features().size())].payload;
        const auto other = file_.features()[random_.size(file_.features().size())].payload;
        if (room(one.size)) file_.replace(other, bytes_of(one));
    }
    void drop_feature() {
        if (file_.features().empty()) return;
        const auto feature = file_.features()[random_.size(file_.features().size())];
        // Set a neighbouring feature's bit instead, so that the table keeps its size.
        const auto to = feature.number + (random_.one_in(2) ? 1u : 255u);
        flip(feature.number);
        flip(to % 64);
        file_.look();
    }
    void flip(unsigned number) {
        const auto at = bitmap_at + number / 64 * 8;
        file_.store(at, 8, file_.load(at, 8) ^ std::uint64_t{1} << number % 64);
    }
    void header_field() {
        if (!file_.pipe()) field({8, header_bytes - 8});
    }
    // Copies the time of one sample to another, possibly off by one.
    void times() {
        const auto one = any_record(), other = any_record();
        if (!one || one->size < 24 || other->size < 24) return;
        const auto word = 8 * (1 + random_.size(2));
        const auto from = random_.one_in(2) ? one->begin + one->size - word : one->begin + frame_bytes + word;
        const auto to = random_.one_in(2) ? other->begin + other->size - word : other->begin + frame_bytes + word;
        if (std::max(from, to) + 8 > file_.content().size()) return;
        file_.store(to, 8, file_.load(from, 8) + random_.below(3) - 1);
    }
    // Writes hostile names.
    void record_text() {
        static constexpr std::string_view texts[] = {"</script><script>alert(1)</script>",
                                                     "\x1b]0;owned\x07",
                                                     "../../../etc/passwd",
                                                     "\"'\\\n\r",
                                                     "\xff\xfe\xc2\x9b",
                                                     "bpf_prog_",
                                                     "[kernel.kallsyms]_text",
                                                     "//anon",
                                                     "jit-1.dump"};
        const auto record = any_record();
        if (!record || record->size <= frame_bytes + 8) return;
        const auto text = texts[random_.size(std::size(texts))];
        const auto begin = record->begin + frame_bytes + random_.size(record->size - frame_bytes);
        const auto count = std::min(text.size(), record->begin + record->size - begin);
        std::copy_n(text.begin(), count, file_.content().begin() + static_cast<std::ptrdiff_t>(begin));
    }

    // field(part) changes one integer at a multiple of its size.
    void field(Part part) {
        const std::size_t size = std::size_t{1} << random_.below(4);
        if (part.size < size) return;
        const auto at = part.begin + random_.size(part.size / size) * size;
        const auto old = file_.load(at, size);
        file_.store(at, size, value(old, size));
        file_.look();
    }
    std::uint64_t value(std::uint64_t old, std::size_t size) {
        const auto top = std::uint64_t{1} << (8 * size - 1);
        switch (random_.below(10)) {
            case 0: return 0;
            case 1: return ~std::uint64_t{0};
            case 2: return top;
            case 3: return top - 1;
            case 4: return old + 1;
            case 5: return old - 1;
            case 6: return old ^ std::uint64_t{1} << random_.below(8 * size);
            case 7: return old + random_.below(64) * 8;
            case 8: return std::rotl(std::uint64_t{1}, static_cast<int>(random_.below(64))) - random_.below(2);
            default: break;
        }
        // Use a value from elsewhere in the file: ids, addresses and offsets are meaningful.
        const auto& content = file_.content();
        return content.size() < size ? 0 : file_.load(random_.size(content.size() - size + 1), size);
    }

    File& file_;
    Random& random_;
    const ByteMutator& bytes_;
    std::size_t most_;
};

}  // namespace

std::size_t mutate_recording(std::span<std::uint8_t> buffer, std::size_t size, std::uint32_t seed,
                             const ByteMutator& bytes) {
    Random random(seed);
    File file(Buffer(buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(size)));
    if (!file.known() || random.one_in(10)) return bytes(buffer.data(), size, buffer.size());
    for (auto changes = 1 + random.below(4); changes != 0 && file.known(); --changes) {
        Change(file, random, bytes, buffer.size()).make();
    }
    const auto& content = file.content();
    if (content.size() > buffer.size()) return bytes(buffer.data(), size, buffer.size());
    std::ranges::copy(content, buffer.begin());
    return content.size();
}

std::size_t mutate_with_choices(std::span<std::uint8_t> buffer, std::size_t size, std::uint32_t seed,
                                const ByteMutator& bytes) {
    Random random(seed);
    const bool chosen = has_choices(buffer.first(size));
    std::array<std::uint8_t, choice_bytes> choices = {};
    if (chosen) {
        size -= choice_block;
        std::ranges::copy(buffer.subspan(size, choice_bytes), choices.begin());
    } else if (buffer.size() - size < choice_block) {
        return mutate_recording(buffer, size, seed, bytes);
    }
    if (!chosen || random.one_in(6)) {
        choices[random.size(choice_bytes)] = random.u8();
    } else {
        size = mutate_recording(buffer.first(buffer.size() - choice_block), size, seed, bytes);
    }
    std::ranges::copy(choices, buffer.subspan(size).begin());
    std::ranges::copy(choice_mark, buffer.subspan(size + choice_bytes).begin());
    return size + choice_block;
}

}  // namespace perfdata::fuzz

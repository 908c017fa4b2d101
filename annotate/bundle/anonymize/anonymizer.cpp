// SPDX-License-Identifier: MIT
#include "bundle/anonymize/anonymizer.hpp"

#include "perfdata/core/catch_bad_alloc.hpp"

#include "bundle/anonymize/anonymous_recording.hpp"
#include "bundle/anonymize/file_rewriters.hpp"

namespace perfdata {
namespace {

using Made = Result<std::shared_ptr<const Source>>;

// digit(character) returns its value as a hexadecimal digit; 16 or more if it is none.
unsigned digit(char character) {
    constexpr std::string_view digits = "0123456789abcdef";
    const auto lower = character >= 'A' && character <= 'F' ? static_cast<char>(character + 32) : character;
    const auto at = digits.find(lower);
    return at == std::string_view::npos ? 16 : static_cast<unsigned>(at);
}

}  // namespace

Result<AnonymizeKey> random_anonymize_key() {
    return SecretHash::random_key();
}

Result<AnonymizeKey> read_anonymize_key(const Source& file, const std::string& path) {
    constexpr std::uint64_t longest = 4096;
    const auto wrong = [&] {
        return fail(ErrorCode::malformed, Error::no_offset, path,
                    "no key: 32 bytes, or 64 hexadecimal digits, are expected");
    };
    if (file.size() > longest) return wrong();
    const auto content = read_whole(file, longest);
    if (!content) return fail(content.error());
    AnonymizeKey key{};
    if (content->size() == key.size()) {
        for (std::size_t at = 0; at < key.size(); ++at) key[at] = static_cast<std::byte>((*content)[at]);
        return key;
    }
    constexpr std::string_view white = " \t\r\n";
    std::string_view digits(*content);
    digits.remove_prefix(std::min(digits.find_first_not_of(white), digits.size()));
    digits = digits.substr(0, digits.find_last_not_of(white) + 1);
    if (digits.size() != 2 * key.size()) return wrong();
    for (std::size_t at = 0; at < key.size(); ++at) {
        const auto high = digit(digits[2 * at]), low = digit(digits[2 * at + 1]);
        if (high > 15 || low > 15) return wrong();
        key[at] = static_cast<std::byte>(high << 4 | low);
    }
    return key;
}

Result<Anonymizer> Anonymizer::create(std::span<const std::byte, 32> key) {
    auto hash = SecretHash::create(key);
    if (!hash) return fail(std::move(hash.error()));
    return Anonymizer(Names(*hash));
}

Made Anonymizer::recording(const Recording& recording, const Watch& watch) {
    return catch_bad_alloc([&]() -> Made { return anonymous_recording(recording, names_, tally_, watch); });
}

Made Anonymizer::kallsyms(const Source& file, const Watch& watch) {
    return catch_bad_alloc([&]() -> Made { return anonymous_kallsyms(file, names_, tally_, watch); });
}

Made Anonymizer::perf_map(const Source& file, const Watch& watch) {
    return catch_bad_alloc([&]() -> Made { return anonymous_perf_map(file, names_, tally_, watch); });
}

Made Anonymizer::jitdump(const Source& file, const Watch& watch) {
    return catch_bad_alloc([&]() -> Made { return anonymous_jitdump(file, names_, tally_, watch); });
}

Made Anonymizer::object(std::shared_ptr<const Source> file, const std::string& path, const Limits& limits,
                        const Watch& watch) {
    return catch_bad_alloc([&]() -> Made { return anonymous_object(std::move(file), path, limits, tally_, watch); });
}

}  // namespace perfdata

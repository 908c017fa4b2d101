// SPDX-License-Identifier: MIT
#include "support/tar.hpp"

#include <algorithm>
#include <cstdio>
#include <stdexcept>

namespace perfdata::test {
namespace {

constexpr std::size_t block = 512;

}  // namespace

Tar& Tar::header(std::string_view name, char type, std::string_view target, std::uint64_t size) {
    constexpr std::size_t name_size = 100, at_mode = 100, at_size = 124, at_sum = 148, at_type = 156, at_target = 157,
                          at_magic = 257;
    if (name.size() > name_size || target.size() > name_size) throw std::logic_error("too long for ustar");
    std::string text(block, '\0');
    const auto put = [&](std::size_t at, std::string_view what) { std::ranges::copy(what, text.begin() + long(at)); };
    char number[16];
    put(0, name);
    put(at_mode, "0000644");
    std::snprintf(number, sizeof number, "%011llo", static_cast<unsigned long long>(size));
    put(at_size, number);
    put(at_sum, "        ");
    text[at_type] = type;
    put(at_target, target);
    put(at_magic, std::string_view("ustar\00000", 8));
    unsigned sum = 0;
    for (const char c : text) sum += static_cast<unsigned char>(c);
    std::snprintf(number, sizeof number, "%06o", sum);
    put(at_sum, std::string_view(number, 7));
    text_ += text;
    return *this;
}

Tar& Tar::file(std::string_view name, Bytes content) {
    return this->content(name, '0', {reinterpret_cast<const char*>(content.data()), content.size()});
}

Tar& Tar::pax(std::string_view keyword, std::string_view value) {
    const auto rest = " " + std::string(keyword) + "=" + std::string(value) + "\n";
    // The record's size includes its own digits.
    auto size = rest.size();
    while (size != rest.size() + std::to_string(size).size()) size = rest.size() + std::to_string(size).size();
    return content("pax", 'x', std::to_string(size) + rest);
}

Tar& Tar::content(std::string_view name, char type, std::string_view text) {
    header(name, type, {}, text.size());
    text_ += text;
    text_.resize((text_.size() + block - 1) / block * block, '\0');
    return *this;
}

Blob Tar::blob() const {
    return blob_of(text_ + std::string(2 * block, '\0'));
}

}  // namespace perfdata::test

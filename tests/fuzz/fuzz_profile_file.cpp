// SPDX-License-Identifier: MIT
// Fuzz target: a profile file, not packed. Its first byte says which dimensions are kept afterwards.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "perfdata/recording/source.hpp"

#include "promise.hpp"
#include "recording/stored/canonical.hpp"
#include "recording/stored/merge.hpp"
#include "recording/stored/profile_file.hpp"
#include "recording/stored/shared_facts.hpp"

namespace {

using namespace perfdata;
using fuzz::require;
using stored::Model;

std::string written_file(const Model& model) {
    std::string bytes;
    stored::write_profile(model, [&](std::string_view part) { bytes += part; });
    return bytes;
}

Result<Model> read_file(std::string_view bytes, const Limits& limits) {
    return stored::read_profile(*memory_source(std::as_bytes(std::span(bytes))), "it", limits);
}

// What is read or made can be written and read again.
void check_sound(const Model& model) {
    const auto again = read_file(written_file(model), {});
    require(again.has_value());
    require(*again == model);
}

// Returns the sum of all hits; nothing if it is not exact.
std::optional<std::uint64_t> hits_of(const Model& model) {
    std::uint64_t sum = 0;
    for (const auto& cell : model.cells) {
        if (cell.hits >> 32 != 0) return {};
        sum += cell.hits;
    }
    return sum;
}

Result<Model> merged(std::vector<Model> models) {
    std::vector<stored::Named> named;
    for (auto& model : models) named.push_back({"one of them", std::move(model)});
    return stored::merge(std::move(named), {.allow_duplicates = true, .stop = {}});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
    auto limits = fuzz::small_limits();
    const auto model = read_file(bytes, limits);
    (void)stored::is_profile(std::as_bytes(std::span(bytes)));
    if (!model) {
        require(!model.error().message().empty());
        return 0;
    }
    check_sound(*model);
    (void)stored::shared_fact(*model, &stored::Source::hostname);
    (void)stored::recordings(*model);
    (void)stored::differing(*model);

    const auto canonical = stored::canonical(*model);
    check_sound(canonical);
    require(stored::canonical(canonical) == canonical);
    auto dimensions = data[0] * 4u + 3u;
    if (model->keeps(stored::Dimension::symbol)) dimensions |= bit(stored::Dimension::symbol);
    const auto less = stored::keep_only(*model, dimensions);
    check_sound(less);
    const auto hits = hits_of(*model);
    require(!hits || hits_of(less).value_or(*hits) == *hits);

    const auto twice = merged({*model, *model});
    if (!twice) return 0;
    check_sound(*twice);
    require(!hits || hits_of(*twice).value_or(2 * *hits) == 2 * *hits);
    const auto one = merged({*twice, less}), other = merged({less, *model, *model});
    require(one.has_value() == other.has_value());
    if (one) require(*one == *other);
    return 0;
}

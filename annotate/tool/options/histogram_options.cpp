// SPDX-License-Identifier: MIT
#include "histogram_options.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <optional>
#include <utility>

#include "option_values.hpp"
#include "trace/trace_key.hpp"

namespace perfdata::tool {

void HistogramChoice::add_to(CLI::App& command, const char* where) {
    const auto help = fmt::format(
        "Histograms of these numeric fields of tracepoints, in powers of two, {}: ret,args[2], or as "
        "for --sort: trace:FIELD, EVENT.FIELD",
        where);
    add_list(command, "--histogram", fields, help.c_str())
        ->check(each([](const std::string& word) {
                    return TraceKey::parse_field(word) ? std::string() : fmt::format("{} is no name of a field", word);
                }),
                "")
        ->type_name("TRACE_FIELDS");
}

Result<std::shared_ptr<TraceHistograms>> HistogramChoice::make(const Recording& recording,
                                                               std::vector<std::uint32_t> events) const {
    if (fields.empty()) return std::shared_ptr<TraceHistograms>();
    const auto& all = recording.events().events();
    if (events.empty()) {
        events.resize(all.size());
        std::iota(events.begin(), events.end(), 0u);
    }
    auto read = TraceFields::read(recording);
    std::vector<bool> matters(all.size());
    for (const auto event : events) matters[event] = true;
    std::vector<TraceKey> keys;
    std::vector<HistogramField> wanted;
    for (const auto& word : fields) {
        auto key = TraceKey::parse_field(word);
        // Already checked. The numbers are counted, whatever the event prints for them.
        if (!key) continue;
        key->raw = false;
        if (std::ranges::find(keys, *key) != keys.end()) continue;
        HistogramField field{key->field, key->event};
        const auto is_of = key->events_of(all, "--histogram");
        if (!is_of) return fail(is_of.error());
        if (!key->event.empty()) {
            for (const auto event : events) field.takes.push_back((*is_of)[event]);
        }
        for (std::uint32_t event = 0; event < all.size() && events.size() < all.size(); ++event) {
            const auto* const format = matters[event] || !(*is_of)[event] ? nullptr : read.of(event);
            if (format == nullptr) continue;
            if (!format->find_own(key->field.name) && !format->find_common(key->field.name)) continue;
            field.left_out = all[event].name;
            break;
        }
        wanted.push_back(std::move(field));
        keys.push_back(std::move(*key));
    }
    std::vector<std::string> event_names;
    for (const auto event : events) event_names.push_back(all[event].name);
    auto made = TraceHistograms::make(std::move(read), wanted, events, event_names);
    if (!made) return fail(made.error());
    return std::make_shared<TraceHistograms>(std::move(*made));
}

void count_into(std::shared_ptr<TraceHistograms> histograms, SampleCountOptions& counting) {
    if (histograms == nullptr) return;
    counting.label = [histograms = std::move(histograms), label = counting.label](
                         std::uint32_t event, std::optional<Bytes> raw, const Moment& moment) {
        histograms->add(event, raw);
        return label ? label(event, raw, moment) : 0u;
    };
}

std::string no_histogram_text(const TraceHistograms* histograms) {
    if (histograms == nullptr) return {};
    const auto all = histograms->histograms();
    const auto counts = [](const FieldHistogram& one) { return one.samples != 0 || one.no_value != 0; };
    if (std::ranges::any_of(all, counts)) return {};
    return "--histogram: no sample that counts is of an event with such a field";
}

}  // namespace perfdata::tool

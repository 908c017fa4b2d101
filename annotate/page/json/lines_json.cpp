// SPDX-License-Identifier: MIT
#include "perfdata/annotate/page/lines_page.hpp"

#include "format/percent_limit.hpp"
#include "format/words.hpp"
#include "json_parts.hpp"

namespace perfdata {
namespace {

bool is_hidden(const LinesPage& page, const HeatLine& line) {
    return page.percent_limit > 0 && !reaches(line.heat.inclusive, page.whole, page.percent_limit);
}

class LinesJson {
  public:
    LinesJson(const LinesPage& page, const Sink& sink) : page_(page), json_(sink) {}

    void write() {
        json_.begin_object();
        json_.member("schema", "perfdata.lines/1");
        write_recording(json_, page_.recording);
        events();
        write_ratio_names(json_, shown_ratios(), chosen(page_.heat.totals));
        write_dropped(json_, page_.dropped);
        without_line();
        json_.key("files");
        json_.begin_array();
        for (std::size_t number = 0; number < page_.heat.files.size(); ++number) file(number);
        json_.end_array();
        if (const auto hidden = hidden_lines(page_); hidden != 0) json_.member("hidden_lines", hidden);
        if (page_.heat.cut_places != 0) json_.member("cut_places", page_.heat.cut_places);
        if (!page_.heat.problems.empty()) {
            json_.array("problems", page_.heat.problems, [](const Error& problem) { return problem.message(); });
        }
        if (!page_.notes.empty()) {
            json_.array("notes", page_.notes, [](const std::string& note) { return std::string_view(note); });
        }
        json_.member("stacks_not_unwound", page_.stacks.lacking());
        write_stacks(json_, page_.stacks);
        write_completeness(json_, page_.completeness, true);
        json_.end_object();
        json_.finish();
    }

  private:
    void events() {
        json_.key("events");
        json_.begin_array();
        for (const auto column : page_.columns) {
            json_.begin_object();
            json_.member("name", page_.recording.events[page_.heat.events[column]].name);
            json_.member("samples", page_.whole[column].hits);
            json_.member("periods", page_.whole[column].periods);
            json_.member("kept", page_.heat.totals[column].hits);
            json_.end_object();
        }
        json_.end_array();
    }

    // Each reason, even if it is that of no sample: files and reasons add up to `kept`.
    void without_line() {
        json_.key("without_line");
        json_.begin_object();
        for (std::size_t number = 0; number < no_line_reasons; ++number) {
            const auto reason = static_cast<NoLine>(number);
            json_.key(to_string(reason));
            json_.begin_object();
            counts("hits", "periods", page_.heat.without(reason));
            json_.end_object();
        }
        json_.end_object();
    }

    void file(std::size_t number) {
        const auto& file = page_.heat.files[number];
        json_.begin_object();
        json_.name("path", file.path);
        json_.name_or_null("here", number < page_.here.size() ? std::string_view(page_.here[number]) : "");
        heat(file.heat);
        json_.key("lines");
        json_.begin_array();
        for (const auto& each : file.lines) {
            if (!is_hidden(page_, each)) line(each);
        }
        json_.end_array();
        json_.end_object();
    }

    void line(const HeatLine& line) {
        json_.begin_object();
        json_.member("line", line.line);
        heat(line.heat);
        json_.key("functions");
        json_.begin_array();
        for (const auto& part : line.functions) {
            json_.begin_object();
            json_.name("name", page_.heat.functions[part.function]);
            counts("hits", "periods", part.heat.self);
            counts("with_callees", "periods_with_callees", part.heat.inclusive);
            json_.end_object();
        }
        json_.end_array();
        json_.end_object();
    }

    void heat(const Heat& heat) {
        counts("hits", "periods", heat.self);
        percent("percent", heat.self);
        write_ratios(json_, page_.ratios, heat.self);
        counts("with_callees", "periods_with_callees", heat.inclusive);
        percent("percent_with_callees", heat.inclusive);
        write_ratios(json_, page_.ratios, heat.inclusive, "ratios_with_callees");
    }

    // The names of ratios refer to the events of the document.
    std::vector<EventRatio> shown_ratios() const {
        std::vector<EventRatio> ratios;
        for (const auto& ratio : page_.ratios) ratios.push_back(ratio.moved(page_.columns));
        return ratios;
    }
    EventCounts chosen(const EventCounts& cells) const {
        EventCounts some;
        for (const auto column : page_.columns) some.push_back(cells[column]);
        return some;
    }

    void counts(std::string_view hits, std::string_view periods, const EventCounts& cells) {
        json_.array(hits, page_.columns, [&](std::size_t column) { return cells[column].hits; });
        json_.array(periods, page_.columns, [&](std::size_t column) { return cells[column].periods; });
    }
    void percent(std::string_view name, const EventCounts& cells) {
        json_.array(name, page_.columns,
                    [&](std::size_t column) { return share(cells[column].periods, page_.whole[column].periods); });
    }

    const LinesPage& page_;
    JsonWriter json_;
};

}  // namespace

std::uint64_t hidden_lines(const LinesPage& page) {
    std::uint64_t hidden = 0;
    for (const auto& file : page.heat.files) {
        for (const auto& line : file.lines) hidden += is_hidden(page, line) ? 1 : 0;
    }
    return hidden;
}

void write_lines_json(const LinesPage& page, const Sink& sink) {
    LinesJson(page, sink).write();
}

}  // namespace perfdata

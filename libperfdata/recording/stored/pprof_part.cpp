// SPDX-License-Identifier: MIT
#include "pprof_part.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perfdata/core/small_algorithms.hpp"
#include "perfdata/core/utf8.hpp"

#include "problems.hpp"
#include "shared_facts.hpp"

namespace perfdata::stored {
namespace {

using protozero::pbf_writer;

constexpr std::size_t public_block = std::size_t{64} << 10;
constexpr auto most_value = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

// Field numbers of profile.proto.
namespace public_field {
constexpr protozero::pbf_tag_type sample_type = 1, sample = 2, mapping = 3, location = 4, function = 5,
                                  string_table = 6, comment = 13, default_sample_type = 14;
}

// PublicStrings numbers texts by first use. Readers require valid UTF-8.
class PublicStrings {
  public:
    PublicStrings() { number({}); }

    std::int64_t operator()(std::string_view text) { return number(readable(text)); }
    // In order of their numbers.
    const std::vector<const std::string*>& texts() const { return texts_; }

  private:
    static std::string readable(std::string_view text) {
        constexpr std::size_t most = 4096;
        std::string result;
        while (!text.empty() && result.size() < most) {
            const auto length = utf8_length(text);
            result += length == 0 ? std::string_view("?") : text.substr(0, length);
            text.remove_prefix(std::max<std::size_t>(length, 1));
        }
        return result;
    }
    std::int64_t number(std::string text) {
        const auto [entry, is_new] = numbers_.try_emplace(std::move(text), static_cast<std::int64_t>(texts_.size()));
        if (is_new) texts_.push_back(&entry->first);
        return entry->second;
    }

    std::map<std::string, std::int64_t> numbers_;  // a tree: log n each, whatever texts a file has
    std::vector<const std::string*> texts_;
};

class PublicWriter {
  public:
    PublicWriter(const Model& model, const PutBytes& put)
        : model_(model), put_(put), used_(2 * model.frames.size()), lines_of_(model.functions.size(), none) {
        for (std::uint32_t at = 0; at < model.lines.size(); ++at) lines_of_[model.lines[at].function.number] = at;
        for (const auto& node : model.nodes) used_[location_of(node)] = true;
    }

    void write() {
        write_types();
        write_samples();
        write_mappings();
        for (std::uint64_t at = 0; at < used_.size(); ++at) {
            if (used_[at]) write_location(at);
        }
        for (const auto& [key, id] : functions_) write_function(key, id);
        write_comments();
        for (const auto* text : strings_.texts()) {
            pbf_writer(block_).add_string(public_field::string_table, *text);
            flush_full();
        }
        if (!block_.empty()) put_(block_);
    }

  private:
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    // A location is a frame as a sampled address, or as one that a call returns to. Its id is one more.
    static std::uint64_t location_of(const Node& node) {
        return 2 * std::uint64_t{node.frame.number} + (node.returns ? 1 : 0);
    }

    // message(field, body) calls body(writer) to write a part of the profile.
    template <class Body>
    void message(protozero::pbf_tag_type field, Body&& body) {
        {
            pbf_writer profile(block_);
            pbf_writer part(profile, field);
            body(part);
        }
        flush_full();
    }
    void flush_full() {
        if (block_.size() < public_block) return;
        put_(block_);
        block_.clear();
    }

    std::size_t events() const { return std::min(model_.events.size(), most_public_events); }

    void write_types() {
        const auto type = [&](std::int64_t name) {
            message(public_field::sample_type, [&](pbf_writer& part) {
                part.add_int64(1, name);
                part.add_int64(2, strings_("count"));
            });
        };
        for (std::size_t event = 0; event < events(); ++event) {
            const std::string name(model_.text(model_.events[event].name));
            type(strings_(name + "_sample"));
            type(strings_(name + "_event"));
        }
        left_.assign(2 * events(), most_value);
    }

    // A sample is all cells of one task and chain.
    void write_samples() {
        const auto& cells = model_.cells;
        std::vector<std::int64_t> values;
        for (std::size_t begin = 0; begin < cells.size();) {
            auto end = begin;
            values.assign(2 * events(), 0);
            bool any = false;
            for (; end < cells.size() && cells[end].task == cells[begin].task && cells[end].node == cells[begin].node;
                 ++end) {
                const std::size_t event = cells[end].event.number;
                if (event >= events()) continue;
                any = true;
                values[2 * event] = within(2 * event, cells[end].hits);
                values[2 * event + 1] = within(2 * event + 1, cells[end].periods);
            }
            if (any) write_sample(model_.at(cells[begin].task), cells[begin].node, values);
            begin = end;
        }
    }
    // Sums of values must fit into 63 bits.
    std::int64_t within(std::size_t type, std::uint64_t value) {
        const auto kept = std::min(value, left_[type]);
        left_[type] -= kept;
        cut_values_ = cut_values_ || kept != value;
        return static_cast<std::int64_t>(kept);
    }
    void write_sample(const Task& task, Ref<Node> node, const std::vector<std::int64_t>& values) {
        std::vector<std::uint64_t> ids;
        for (; node; node = model_.at(node).caller) {
            if (written_ >= most_public_places && !ids.empty()) {
                cut_stacks_ = true;
                break;
            }
            ++written_;
            ids.push_back(location_of(model_.at(node)) + 1);
        }
        const auto label = [&](pbf_writer& sample, std::string_view key, std::string_view text) {
            const auto of = strings_(key), value = strings_(text);
            pbf_writer part(sample, 3);
            part.add_int64(1, of);
            part.add_int64(2, value);
        };
        // Without a unit pprof would drop the number 0.
        const auto number_label = [&](pbf_writer& sample, std::string_view key, std::uint32_t value) {
            const auto of = strings_(key);
            pbf_writer part(sample, 3);
            part.add_int64(1, of);
            part.add_int64(3, static_cast<std::int32_t>(value));
            part.add_int64(4, of);
        };
        message(public_field::sample, [&](pbf_writer& sample) {
            sample.add_packed_uint64(1, ids.begin(), ids.end());
            sample.add_packed_int64(2, values.begin(), values.end());
            if (task.further) return label(sample, "comm", "[further tasks]");
            if (model_.keeps(Dimension::comm)) label(sample, "comm", model_.text(task.comm));
            if (model_.keeps(Dimension::pid)) number_label(sample, "pid", task.pid);
            if (model_.keeps(Dimension::tid)) number_label(sample, "tid", task.tid);
        });
    }

    Ref<Object> object_of(const Frame& frame) const {
        return frame.function ? model_.at(frame.function).object : frame.object;
    }

    void write_mappings() {
        std::vector<bool> has(model_.objects.size());
        for (std::size_t at = 0; at < used_.size(); ++at) {
            if (!used_[at]) continue;
            if (const auto object = object_of(model_.frames[at / 2])) has[object.number] = true;
        }
        for (std::uint32_t at = 0; at < has.size(); ++at) {
            if (!has[at]) continue;
            const auto& object = model_.objects[at];
            std::string build_id;
            for (const char byte : object.build_id) {
                constexpr std::string_view digits = "0123456789abcdef";
                build_id += digits[static_cast<unsigned char>(byte) >> 4];
                build_id += digits[static_cast<unsigned char>(byte) & 0xf];
            }
            const auto path = strings_(model_.text(object.path)), id = strings_(build_id);
            message(public_field::mapping, [&](pbf_writer& part) {
                part.add_uint64(1, std::uint64_t{at} + 1);
                part.add_uint64(3, ~std::uint64_t{0});
                part.add_int64(5, path);
                part.add_int64(6, id);
                // So that pprof does not look for names itself.
                for (protozero::pbf_tag_type claim = 7; claim <= 10; ++claim) part.add_bool(claim, true);
            });
        }
    }

    // The entry of a function's lines for a place in it; null if there is none.
    const LineStart* line_at(const Frame& frame, bool returns) const {
        if (!frame.function || lines_of_[frame.function.number] == none) return nullptr;
        const auto& starts = model_.lines[lines_of_[frame.function.number]].starts;
        const auto offset = returns && frame.offset != 0 ? frame.offset - 1 : frame.offset;
        const auto above = std::ranges::upper_bound(starts, offset, {}, &LineStart::offset);
        return above == starts.begin() ? nullptr : &*std::prev(above);
    }

    std::uint64_t address_of(const Frame& frame) const {
        auto address = frame.offset;
        if (frame.function) {
            const auto& function = model_.at(frame.function);
            if (function.kind.is(frame_kind::code)) return model_.at(function.code).address + address;
            if (function.kind.is(frame_kind::jit)) return function.address + address;
            address += function.begin;
        }
        const auto object = object_of(frame);
        return object ? model_.at(object).base + address : address;
    }

    void write_location(std::uint64_t at) {
        const auto& frame = model_.frames[at / 2];
        const auto object = object_of(frame);
        const bool returns = at % 2 != 0;
        message(public_field::location, [&](pbf_writer& location) {
            location.add_uint64(1, at + 1);
            if (object) location.add_uint64(2, std::uint64_t{object.number} + 1);
            location.add_uint64(3, address_of(frame));
            const auto line = [&](std::string_view name, Ref<SourcePlace> place) {
                const auto file = place ? model_.text(model_.at(place).file) : std::string_view();
                const auto function = function_id(name, file);
                pbf_writer part(location, 4);
                part.add_uint64(1, function);
                if (place) part.add_int64(2, std::int64_t{model_.at(place).line});
            };
            const auto name = name_of(frame);
            const auto* start = line_at(frame, returns);
            if (start == nullptr) {
                const auto& inlined = returns ? frame.inlined_at_return : frame.inlined;
                for (auto one = inlined.rbegin(); one != inlined.rend(); ++one) {
                    line(model_.text(model_.at(*one).name), {});
                }
                return line(name, frame.place);
            }
            auto place = start->place;
            std::size_t depth = 0;
            for (auto call = start->calls; call && ++depth <= most_public_inlined; call = model_.at(call).outer) {
                line(model_.text(model_.at(call).function), place);
                place = model_.at(call).place;
            }
            line(name, place);
        });
    }
    std::string name_of(const Frame& frame) const {
        if (!frame.function) {
            const auto object = frame.nameless ? model_.text(model_.at(frame.nameless).object) : std::string_view();
            return "[" + std::string(object.empty() ? "unknown" : object) + "]";
        }
        const auto& function = model_.at(frame.function);
        if (function.code) {
            const auto& code = model_.at(function.code);
            const auto name = model_.text(code.name), program = model_.text(code.program);
            if (!name.empty() && (program.empty() || program == name)) return std::string(name);
            if (!name.empty()) return std::string(program) + "/" + std::string(name);
        }
        return std::string(model_.text(function.symbol));
    }

    // A function in one file; its id is one more than its number.
    using FunctionKey = std::pair<std::int64_t, std::int64_t>;
    std::uint64_t function_id(std::string_view name, std::string_view file) {
        const FunctionKey key{strings_(name), strings_(file)};
        return functions_.try_emplace(key, functions_.size() + 1).first->second;
    }
    void write_function(const FunctionKey& key, std::uint64_t id) {
        message(public_field::function, [&](pbf_writer& part) {
            part.add_uint64(1, id);
            part.add_int64(2, key.first);
            part.add_int64(4, key.second);
        });
    }

    void write_comments() {
        const auto comment = [&](const std::string& text) {
            pbf_writer(block_).add_int64(public_field::comment, strings_(text));
        };
        const auto number = recordings(model_);
        comment("perfdata profile of " + std::to_string(number) + (number == 1 ? " recording" : " recordings"));
        if (const auto arch = model_.text(model_.facts.arch); !arch.empty()) comment("arch:" + std::string(arch));
        if (model_.events.size() > events()) {
            comment("events:" + std::to_string(model_.events.size() - events()) + " further events are left out");
        }
        if (cut_values_) comment("values:sums beyond 2^63-1 are cut to that");
        if (cut_stacks_) comment("stacks:some are without their callers, which would take too much room");
        for (const auto& row : model_.facts.partial) comment("partial:" + std::string(model_.text(row.detail)));
        for (const auto& row : model_.facts.left_out) comment("left out:" + left_out_text(model_, row));
        if (events() != 0) {
            pbf_writer(block_).add_int64(public_field::default_sample_type,
                                         strings_(std::string(model_.text(model_.events[0].name)) + "_sample"));
        }
    }

    static constexpr std::size_t most_public_inlined = 256;

    const Model& model_;
    const PutBytes& put_;
    std::vector<bool> used_;               // by location
    std::vector<std::uint32_t> lines_of_;  // by function: index in Model::lines, or none
    PublicStrings strings_;
    std::map<FunctionKey, std::uint64_t> functions_;
    std::vector<std::uint64_t> left_;  // by type: what may still be added
    std::uint64_t written_ = 0;        // places in stacks
    bool cut_values_ = false, cut_stacks_ = false;
    std::string block_;
};

}  // namespace

void write_pprof_part(const Model& model, const PutBytes& put) {
    PublicWriter(model, put).write();
}

}  // namespace perfdata::stored

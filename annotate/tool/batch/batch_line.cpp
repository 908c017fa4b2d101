// SPDX-License-Identifier: MIT
#include "batch_line.hpp"

#include <fmt/format.h>

#include "format/json_stream.hpp"

namespace perfdata::tool {
namespace {

std::string_view status_word(BatchStatus status) {
    switch (status) {
        case BatchStatus::ok: return "ok";
        case BatchStatus::losses: return "losses";
        case BatchStatus::failed: return "failed";
        case BatchStatus::skipped: return "skipped";
    }
    return "failed";
}

class LineWriter {
  public:
    explicit LineWriter(const Sink& sink) : stream_(sink), json_(stream_) {}

    void write(const BatchLine& line) {
        json_.StartObject();
        text("schema", "perfdata.batch/1");
        text("file", line.file);
        text("status", status_word(line.status));
        json_.text("exit_code");
        json_.Int(line.exit_code);
        write_error(line.error);
        json_.text("output");
        text_or_null(line.output.value_or(std::string()));
        number("samples", line.samples);
        number("losses", line.losses);
        json_.text("messages");
        json_.StartArray();
        for (const auto& message : line.messages) json_.text(message);
        json_.EndArray();
        json_.text("document");
        stream_.Put(':');  // RapidJSON would write it with the value
        stream_.flush();
    }

  private:
    void text(std::string_view key, std::string_view content) {
        json_.text(key);
        json_.text(content);
    }
    void text_or_null(std::string_view content) {
        if (content.empty()) {
            json_.Null();
        } else {
            json_.text(content);
        }
    }
    void number(std::string_view key, std::optional<std::uint64_t> content) {
        json_.text(key);
        if (content) {
            json_.Uint64(*content);
        } else {
            json_.Null();
        }
    }
    void write_error(const std::optional<BatchError>& error) {
        json_.text("error");
        if (!error) {
            json_.Null();
            return;
        }
        json_.StartObject();
        text("code", error->code);
        number("offset", error->offset);
        json_.text("where");
        text_or_null(error->where);
        text("detail", error->detail);
        json_.EndObject();
    }

    JsonStream stream_;
    CompactJson json_;
};

}  // namespace

BatchError BatchError::of(const Error& error) {
    BatchError told{to_string(error.code), {}, error.where, error.detail};
    if (error.offset != Error::no_offset) told.offset = error.offset;
    return told;
}

std::string BatchError::message() const {
    auto text = where.empty() ? detail : where + ": " + detail;
    if (offset) text += fmt::format(" ({}, at byte {})", code, *offset);
    return text;
}

std::string line_head(const BatchLine& line) {
    std::string text;
    const Sink sink = [&text](std::string_view part) { text += part; };
    LineWriter(sink).write(line);
    return text;
}

void OneLineJson::add(std::string_view text) {
    for (const char one : text) {
        if (in_string_) {
            if (escaped_) {
                escaped_ = false;
            } else if (one == '\\') {
                escaped_ = true;
            } else if (one == '"') {
                in_string_ = false;
            }
        } else if (one == ' ' || one == '\n' || one == '\t' || one == '\r') {
            continue;
        } else if (one == '"') {
            in_string_ = true;
        }
        line_ += one;
    }
}

}  // namespace perfdata::tool

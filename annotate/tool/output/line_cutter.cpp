// SPDX-License-Identifier: MIT
#include "line_cutter.hpp"

namespace perfdata::tool {
namespace {

constexpr std::string_view cut_mark = "...", no_color = "\x1b[0m";

// UTF-8: all bytes of a character but the first.
bool continues_character(char byte) {
    return (static_cast<unsigned char>(byte) & 0xc0) == 0x80;
}

}  // namespace

void LineCutter::write(std::string_view text) {
    if (columns_ == 0) return to_(text);
    for (const char byte : text) {
        if (byte == '\n') {
            finish();
        } else {
            add(byte);
        }
    }
    if (!done_.empty()) to_(done_);
    done_.clear();
}

void LineCutter::add(char byte) {
    if (in_escape_ || byte == '\x1b') {
        in_escape_ = byte != 'm';
        if (column_ <= columns_) line_ += byte;
        if (column_ + cut_mark.size() <= columns_) {
            kept_ = line_.size();
            is_colored_ = true;
        }
        return;
    }
    if (!continues_character(byte)) ++column_;
    if (column_ > columns_) return;
    line_ += byte;
    if (column_ + cut_mark.size() <= columns_) kept_ = line_.size();
}

void LineCutter::finish() {
    if (column_ > columns_) {
        line_.resize(kept_);
        line_ += cut_mark;
        if (is_colored_) line_ += no_color;
        ++cut_lines_;
    }
    done_ += line_;
    done_ += '\n';
    line_.clear();
    column_ = kept_ = 0;
    in_escape_ = is_colored_ = false;
}

std::size_t LineCutter::end() {
    if (!line_.empty()) {
        finish();
        done_.pop_back();  // the text had no newline there
        to_(done_);
        done_.clear();
    }
    return cut_lines_;
}

}  // namespace perfdata::tool

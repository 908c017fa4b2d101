// SPDX-License-Identifier: MIT
// Where RapidJSON's writers write to: a block of memory that is handed out whenever it is full.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <rapidjson/prettywriter.h>
#include <rapidjson/writer.h>
#include <string_view>

#include "perfdata/annotate/format/sink.hpp"
#include "perfdata/core/types.hpp"

namespace perfdata {

// JsonAllocator throws bad_alloc where RapidJSON's own allocators return a null pointer that nobody looks at.
class JsonAllocator {
  public:
    static const bool kNeedFree = true;

    static void* Malloc(std::size_t size) { return size == 0 ? nullptr : got(std::malloc(size)); }
    static void* Realloc(void* memory, std::size_t, std::size_t size) {
        if (size != 0) return got(std::realloc(memory, size));
        std::free(memory);
        return nullptr;
    }
    static void Free(void* memory) { std::free(memory); }

  private:
    static void* got(void* memory) {
        if (memory == nullptr) throw std::bad_alloc();
        return memory;
    }
};

// JsonStream is an output stream as RapidJSON has them. It holds `block` bytes, however long a document or a string is.
class JsonStream {
  public:
    using Ch = char;
    static constexpr std::size_t block = std::size_t{64} << 10;

    // The sink must outlive it.
    explicit JsonStream(const Sink& sink)
        : sink_(sink), memory_(std::make_unique_for_overwrite<char[]>(block)), next_(memory_.get()) {}

    void Put(char character) {
        if (next_ == memory_.get() + block) flush();
        *next_++ = character;
    }
    void Flush() {}  // at the end of each document: of many small ones that would be too often

    // text(content) writes a string with its quotes. Bytes that are no UTF-8 become U+FFFD; what a terminal would obey,
    // or not show, is written by number.
    void text(std::string_view content);
    // hex(bytes) writes a string of two digits a byte.
    void hex(Bytes bytes);
    // repeat(character, count) writes it so often.
    void repeat(char character, std::size_t count);
    // flush() hands out what there is.
    void flush() {
        if (next_ != memory_.get()) sink_({memory_.get(), static_cast<std::size_t>(next_ - memory_.get())});
        next_ = memory_.get();
    }

  private:
    void put(std::string_view characters);
    void escape(char32_t character);

    const Sink& sink_;
    std::unique_ptr<char[]> memory_;
    char* next_;  // in memory_
};

// RapidJSON indents by calling this. What is very deep stands no further in: of trees of callers most would be spaces.
inline void PutN(JsonStream& stream, char character, std::size_t count) {
    constexpr std::size_t furthest = 64;
    stream.repeat(character, std::min(count, furthest));
}

// The two writers, with strings of any length.
class CompactJson : public rapidjson::Writer<JsonStream, rapidjson::UTF8<>, rapidjson::UTF8<>, JsonAllocator> {
  public:
    using Writer::Writer;

    void text(std::string_view content) {
        Prefix(rapidjson::kStringType);
        os_->text(content);
    }
    void hex(Bytes bytes) {
        Prefix(rapidjson::kStringType);
        os_->hex(bytes);
    }
};
class PrettyJson : public rapidjson::PrettyWriter<JsonStream, rapidjson::UTF8<>, rapidjson::UTF8<>, JsonAllocator> {
  public:
    using PrettyWriter::PrettyWriter;

    void text(std::string_view content) {
        PrettyPrefix(rapidjson::kStringType);
        os_->text(content);
    }
    void hex(Bytes bytes) {
        PrettyPrefix(rapidjson::kStringType);
        os_->hex(bytes);
    }
};

}  // namespace perfdata

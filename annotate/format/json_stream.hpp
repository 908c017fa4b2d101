// SPDX-License-Identifier: MIT
// RapidJSON's output stream: one block of memory, passed to the sink whenever it is full.
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

// JsonAllocator throws bad_alloc. RapidJSON's own allocators return a null pointer, which its writers do not check.
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

// JsonStream models RapidJSON's output stream. Its memory is `block` bytes, however long a document or a string is.
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
    void Flush() {}  // RapidJSON calls it after each document: too often for many small ones

    // text(content) writes a quoted string. Invalid UTF-8 becomes U+FFFD; control and invisible characters (see
    // is_shown()) become \u escapes.
    void text(std::string_view content);
    // hex(bytes) writes a quoted string of two digits per byte.
    void hex(Bytes bytes);
    void repeat(char character, std::size_t count);
    // flush() passes the buffered text to the sink.
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

// RapidJSON calls this to indent. Indentation stops growing at 64: deep trees of callers would be mostly spaces.
inline void PutN(JsonStream& stream, char character, std::size_t count) {
    constexpr std::size_t furthest = 64;
    stream.repeat(character, std::min(count, furthest));
}

// The two writers, both for strings of any length.
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

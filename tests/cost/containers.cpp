// SPDX-License-Identifier: MIT
// Containers of records, and files beside them.
#include <algorithm>

#include "perfdata/recording/record_stream.hpp"

#include "cost/case.hpp"
#include "support/compressor.hpp"
#include "support/crafted.hpp"
#include "support/files.hpp"
#include "support/frames.hpp"
#include "support/payload.hpp"
#include "support/sketch.hpp"
#include "support/tar.hpp"

namespace perfdata::test {
namespace {

Blob many_samples(std::size_t n) {
    Sketch sketch;
    for (std::uint64_t at = 1; at <= n; ++at) sketch.sample(at * 64, static_cast<std::uint32_t>(at % 100), 1 + at);
    return sketch.sample(1, 1, n + 5).records();
}

template <RecordType type>
Command packed_records(const Files& files, std::size_t n) {
    Random random(3);
    Sketch sketch;
    sketch.add(packed(Sketch::order, type, many_samples(n), random));
    return {"report", "--offline", files.write("perf.data", sketch.build())};
}

template <Compression compression>
Command packed_file(const Files& files, std::size_t n) {
    Sketch sketch;
    const auto whole = sketch.add(many_samples(n)).build();
    return {"report", "--offline", files.write("perf.data.packed", compressed(compression, whole))};
}

// A pipe with one event that has as many ids as there are samples.
Command pipe(const Files& files, std::size_t n) {
    std::vector<std::uint64_t> ids(n);
    for (std::size_t at = 0; at < n; ++at) ids[at] = 1 + at;
    Writer out(Sketch::order);
    out.bytes(pipe_header(Sketch::order));
    for (std::size_t at = 0; at < n; at += 1000) {
        const auto part = std::vector<std::uint64_t>(ids.begin() + static_cast<std::ptrdiff_t>(at),
                                                     ids.begin() + static_cast<std::ptrdiff_t>(std::min(n, at + 1000)));
        out.bytes(header_attr(Sketch::order, sampling_attr(Sketch::plain), 128, part));
    }
    if (n == 0) out.bytes(header_attr(Sketch::order, sampling_attr(Sketch::plain), 128, {}));
    return {"info", "--completeness", files.write("perf.data", out.bytes(many_samples(n)).take())};
}

// Events that all claim the same ids.
Command shared_ids(const Files& files, std::size_t n) {
    RecordingBuilder builder(Sketch::order);
    const auto attr = sampling_attr(Sketch::plain);
    std::vector<std::uint64_t> ids(n);
    for (std::size_t at = 0; at < n; ++at) ids[at] = 1 + at;
    builder.event(attr, ids);
    for (std::size_t at = 0; at < n; ++at) builder.event(attr, {});
    builder.add(many_samples(1));
    auto file = builder.build();
    const auto& places = builder.places();
    Writer patched(Sketch::order);
    patched.bytes(file);
    for (std::size_t at = 0; at <= n; ++at) {
        const auto pair = places.attrs + at * builder.layout.attr_stride + builder.layout.ids_at;
        patched.patch(pair, places.ids[0]).patch(pair + 8, std::uint64_t{8 * n});
    }
    return {"info", files.write("perf.data", patched.take())};
}

// Samples in exactly reverse order of time.
Command backwards(const Files& files, std::size_t n) {
    Sketch sketch;
    for (std::uint64_t at = 0; at < n; ++at) sketch.sample(64 * at, 1, 10 + n - at);
    return {"script", "--offline", files.write("perf.data", sketch.sample(1, 1, n + 20).build())};
}

// Bytes similar to records, between every few real records.
Command damage(const Files& files, std::size_t n) {
    Sketch sketch;
    std::uint64_t time = 10;
    for (std::uint64_t at = 0; at < n; ++at) {
        for (int intact = 0; intact < 4; ++intact) sketch.sample(64 * at, 1, ++time);
        sketch.add(words({9, 0x20000900000009, ~std::uint64_t{0}, 7}));
    }
    for (int intact = 0; intact < 4; ++intact) sketch.sample(1, 1, ++time);
    return {"report", "--offline", files.write("perf.data", sketch.build())};
}

Command archive(const Files& files, std::size_t n) {
    Tar tar;
    tar.file(".build-id/00/first", blob_of("x"));
    Sketch sketch;
    for (std::size_t at = 0; at < n; ++at) {
        const auto number = std::to_string(1000000 + at);
        tar.file("usr/lib/" + number, blob_of(number)).symlink(".build-id/01/" + number, "../../usr/lib/" + number);
        sketch.mmap(1, 0x1000 * (at + 1), 0x1000, "/usr/lib/" + number, 1 + at).sample(0x1000 * (at + 1), 1, n + at);
    }
    return {"report", "--offline", "--buildid-dir", files.write("cache.tar", tar.blob()),
            files.write("perf.data", sketch.sample(1, 1, 3 * n + 5).build())};
}

// A build-id cache n directories deep with chains of links, and 100 build-ids.
Command deep_archive(const Files& files, std::size_t n) {
    std::string root;
    for (std::size_t at = 0; at <= n; ++at) root += "a/";
    Tar tar;
    const auto link = [&](const std::string& name, const std::string& target) {
        tar.pax("path", root + name).symlink("name", target);
    };
    link(".build-id/01", "../q0");
    for (int at = 0; at < 14; ++at) link("q" + std::to_string(at), "q" + std::to_string(at + 1));
    tar.pax("path", root + "q14").file("name", blob_of("x"));
    constexpr std::size_t lookups = 100;
    Sketch sketch;
    for (std::size_t at = 0; at < lookups; ++at) {
        const std::uint64_t start = 0x10000 * (at + 1);
        Writer body(Sketch::order);
        body.u32(1).u32(1).u64(start).u64(0x1000).u64(0).u8(20).zeros(3).u8(1).u64(at).zeros(11).u32(5).u32(2);
        constexpr std::uint16_t with_build_id = 1 << 14;
        sketch.kernel_record(RecordType::mmap2, body.padded_text("/bin/" + std::to_string(at)).take(), 1 + at, 1,
                             with_build_id | Sketch::user);
        sketch.sample(start, 1, lookups + at);
    }
    return {"report", "--offline", "--buildid-dir", files.write("cache.tar", tar.blob()),
            files.write("perf.data", sketch.sample(1, 1, 3 * lookups + 5).build())};
}

// A build-id cache with a file that n users may read.
Command archive_rights(const Files& files, std::size_t n) {
    std::string rights;
    for (std::size_t at = 0; at < n; ++at) rights += "u:" + std::to_string(100'000 + at) + ":r,";
    Tar tar;
    tar.pax("SCHILY.acl.access", rights).file(".build-id/x", blob_of("x"));
    Sketch sketch;
    return {"report", "--offline", "--buildid-dir", files.write("cache.tar", tar.blob()),
            files.write("perf.data", sketch.mmap(1, 0x1000, 0x1000, "/x", 1).sample(0x1000, 1, 2).build())};
}

// A bundle whose members are in the reverse order of their names.
Command bundle_members(const Files& files, std::size_t n) {
    Sketch sketch;
    std::string index = R"({"perfdata_bundle": 1, "recording": "perf.data", "debug": "none", "sources": true,
        "missing": [], "members": [{"name": "perf.data", "kind": "recording"})";
    std::vector<std::string> names;
    for (std::size_t at = n; at > 0; --at) {
        names.push_back("root/s/" + std::to_string(1000000 + at));
        index += R"(, {"name": ")" + names.back() + R"(", "kind": "source"})";
    }
    Tar tar;
    tar.file("perf.data", sketch.sample(1, 1, 1).build()).file("bundle.json", blob_of(index + "]}"));
    for (const auto& name : names) tar.file(name, blob_of("x"));
    return {"collect", "--check", "--with-sources", files.write("perf.data.zst", sized_frame(tar.blob()))};
}

Command event_descriptions(const Files& files, std::size_t n) {
    RecordingBuilder builder(Sketch::order);
    std::vector<DescribedEvent> events;
    for (std::size_t at = 0; at <= n; ++at) {
        const auto attr = sampling_attr(Sketch::plain | sample_bit::identifier);
        builder.event(attr, {1 + at});
        events.push_back({attr, "event" + std::to_string(at), {1 + at}});
    }
    builder.add(many_samples(1)).feature(Feature::event_desc, event_desc(Sketch::order, events));
    return {"info", files.write("perf.data", builder.build())};
}

// n tracepoints, each with its own format and one sample.
Command trace_formats(const Files& files, std::size_t n) {
    RecordingBuilder builder(Sketch::order);
    TracingBlob data;
    data.systems = {{"crafted", {}}};
    for (std::size_t at = 0; at <= n; ++at) {
        auto attr = sampling_attr(Sketch::plain | sample_bit::identifier | sample_bit::raw);
        attr.type = attr_type::tracepoint;
        attr.config = 100 + at;
        builder.event(attr, {1 + at});
        data.systems[0].formats.push_back("name: e" + std::to_string(at) + "\nID: " + std::to_string(100 + at) +
                                          "\nformat:\n\tfield:int value;\toffset:0;\tsize:4;\tsigned:1;\n\n"
                                          "print fmt: \"v=%d\", REC->value\n");
    }
    for (std::size_t at = 0; at <= n; ++at) {
        Writer body(Sketch::order);
        body.u64(1 + at).u64(0x1000).u32(1).u32(1).u64(10 + at).u32(4).u32(7);
        builder.add(record(RecordType::sample, {Sketch::order, {}, Sketch::user}, body.take()));
    }
    builder.feature(Feature::tracing_data, tracing_data(Sketch::order, data));
    return {"script", "--offline", files.write("perf.data", builder.build())};
}

// A tracepoint with this format, and `samples` samples of `size` raw bytes.
Command traced(const Files& files, const std::string& format, std::size_t samples, std::uint32_t size) {
    RecordingBuilder builder(Sketch::order);
    auto attr = sampling_attr(Sketch::plain | sample_bit::raw);
    attr.type = attr_type::tracepoint;
    attr.config = 100;
    TracingBlob data;
    data.systems = {{"crafted", {"name: e\nID: 100\nformat:\n" + format}}};
    builder.event(attr, {}).feature(Feature::tracing_data, tracing_data(Sketch::order, data));
    for (std::size_t at = 0; at < samples; ++at) {
        Writer body(Sketch::order);
        body.u64(0x1000).u32(1).u32(1).u64(10 + at).u32(size).fill(size, 7).align(8);
        builder.add(record(RecordType::sample, {Sketch::order, {}, Sketch::user}, body.take()));
    }
    return {"script", "--offline", files.write("perf.data", builder.build())};
}
// A sample of n bytes whose format prints text n/50 times into invisible output.
Command trace_hidden(const Files& files, std::size_t n) {
    std::string print, arguments;
    for (std::size_t at = 0; at < n / 50; ++at) {
        print += "%.0s";
        arguments += ", __print_hex(REC->a,60000)";
    }
    return traced(
        files,
        "\tfield:char a[60000];\toffset:0;\tsize:60000;\tsigned:0;\n\nprint fmt: \"" + print + '"' + arguments + "\n",
        1, static_cast<std::uint32_t>(n) + 4);
}
// n samples, each printed as a text of 40 n bytes.
Command trace_text(const Files& files, std::size_t n) {
    return traced(files,
                  "\tfield:char a;\toffset:0;\tsize:1;\tsigned:0;\n\nprint fmt: \"" + std::string(40 * n, 'x') + "\"\n",
                  n + 1, 4);
}

// n samples whose format prints n / 20 numbers, each a sum of 500.
Command trace_numbers(const Files& files, std::size_t n) {
    std::string sum = "REC->a", print, arguments;
    for (int at = 0; at < 500; ++at) sum += "+1";
    for (std::size_t at = 0; at < n / 20; ++at) {
        print += "%d";
        arguments += ", " + sum;
    }
    return traced(files,
                  "\tfield:char a;\toffset:0;\tsize:1;\tsigned:0;\n\nprint fmt: \"" + print + '"' + arguments + "\n",
                  n + 1, 4);
}
// n fields that overlap: each has all 300 n bytes of the sample, and prints one number of its own.
Command trace_shared_bytes(const Files& files, std::size_t n) {
    const auto size = std::to_string(300 * n);
    std::string fields, print, arguments;
    for (std::size_t at = 0; at < n; ++at) {
        const auto name = "a" + std::to_string(at);
        fields += "\tfield:u8 " + name + "[" + size + "];\toffset:0;\tsize:" + size + ";\tsigned:0;\n";
        print += " " + name + "=%d";
        arguments += ", REC->" + name;
    }
    const auto script = traced(files,
                               "\tfield:char c;\toffset:0;\tsize:1;\tsigned:0;\n\n" + fields + "\nprint fmt: \"" +
                                   print + '"' + arguments + "\n",
                               1, static_cast<std::uint32_t>(300 * n) + 4);
    return {"report", "--offline", "--sort", "trace_fields", script.back()};
}

// n groups of events, the first with a name of 10 n bytes.
Command long_group_name(const Files& files, std::size_t n) {
    FeatureWriter groups(Sketch::order);
    groups.u32(static_cast<std::uint32_t>(n + 1)).string(std::string(10 * n, 'g')).u32(0).u32(1);
    for (std::size_t at = 0; at < n; ++at) groups.string("x").u32(0).u32(1);
    RecordingBuilder builder(Sketch::order);
    builder.event(sampling_attr(Sketch::plain), {}).add(many_samples(1)).feature(Feature::group_desc, groups.take());
    return {"info", "--verbose", files.write("perf.data", builder.build())};
}

}  // namespace

CostCases container_cases() {
    return {
        {"compressed", 2000, packed_records<RecordType::compressed>},
        {"compressed2", 2000, packed_records<RecordType::compressed2>},
        {"gzip", 2000, packed_file<Compression::gzip>},
        {"zstd", 2000, packed_file<Compression::zstd>},
        {"pipe", 2000, pipe},
        {"shared_ids", 300, shared_ids},
        {"backwards", 1000, backwards},
        {"damage", 1000, damage},
        {"deep_archive", 400, deep_archive},
        {"archive", 500, archive},
        {.name = "archive_rights", .n = 5000, .make = archive_rights, .refused = true},
        {"bundle_members", 3000, bundle_members},
        {"event_descriptions", 500, event_descriptions},
        {"trace_formats", 200, trace_formats},
        {"trace_hidden", 3000, trace_hidden},
        {"trace_text", 400, trace_text},
        {"trace_numbers", 400, trace_numbers},
        {"trace_shared_bytes", 100, trace_shared_bytes},
        {"long_group_name", 500, long_group_name},
    };
}

}  // namespace perfdata::test

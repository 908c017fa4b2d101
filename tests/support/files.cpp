// SPDX-License-Identifier: MIT
#include "support/files.hpp"

#include <algorithm>
#include <boost/iostreams/device/back_inserter.hpp>
#include <boost/iostreams/filter/bzip2.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filter/lzma.hpp>
#include <boost/iostreams/filter/zstd.hpp>
#include <boost/iostreams/filtering_stream.hpp>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace perfdata::test {

TempDir::TempDir() {
    std::string name = std::filesystem::temp_directory_path() / "perfdata-test-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a temporary directory");
    path_ = name;
}

TempDir::~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

std::string TempDir::write(const std::string& name, Bytes content) const {
    const auto path = path_ / name;
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(content.data()), static_cast<std::streamsize>(content.size()));
    file.close();
    if (!file) throw std::runtime_error("cannot write a temporary file");
    return path.string();
}

std::vector<std::string> fixture_recordings() {
    std::vector<std::string> paths;
    for (const auto& entry : std::filesystem::directory_iterator(PERFDATA_FIXTURES "/bpf")) {
        // Of one process, and with few records.
        if (entry.path().filename() == "bpf_facts.data") continue;
        if (entry.path().extension() == ".data") paths.push_back(entry.path().string());
    }
    if (paths.empty()) throw std::runtime_error("there are no fixtures");
    std::ranges::sort(paths);
    return paths;
}

Blob content_of_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string content{std::istreambuf_iterator<char>(file), {}};
    if (!file) throw std::runtime_error("cannot read " + path);
    return blob_of(content);
}

Blob compressed(Compression compression, Bytes content) {
    namespace io = boost::iostreams;
    std::string packed;
    {
        io::filtering_ostream out;
        if (compression == Compression::gzip) out.push(io::gzip_compressor());
        if (compression == Compression::bzip2) out.push(io::bzip2_compressor());
        if (compression == Compression::xz) out.push(io::lzma_compressor());
        if (compression == Compression::zstd) out.push(io::zstd_compressor());
        out.push(io::back_inserter(packed));
        out.write(reinterpret_cast<const char*>(content.data()), static_cast<std::streamsize>(content.size()));
    }
    return blob_of(packed);
}

}  // namespace perfdata::test

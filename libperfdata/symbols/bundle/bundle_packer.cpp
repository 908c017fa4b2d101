// SPDX-License-Identifier: MIT
#include "perfdata/symbols/bundle/bundle_packer.hpp"

#include <algorithm>
#include <memory>
#include <new>
#include <utility>
#include <vector>
#include <zstd.h>

#include "perfdata/recording/source.hpp"

#include "bundle_names.hpp"
#include "recording/look_out.hpp"
#include "sha256.hpp"
#include "symbols/elf/find/libarchive.hpp"

namespace perfdata {
namespace {

constexpr std::size_t packed_block = std::size_t{256} << 10;
constexpr std::uint64_t tar_unit = 512;
constexpr int zstd_level = 3;  // zstd's own default: a higher one takes several times as long for a few percent
constexpr int file_permissions = 0644;

std::uint64_t in_tar_units(std::uint64_t size) {
    return (size + tar_unit - 1) / tar_unit * tar_unit;
}

// FramePacker makes one zstd frame after the other.
class FramePacker {
  public:
    explicit FramePacker(const Callback<void(Bytes)>& put)
        : put_(put), context_(ZSTD_createCCtx()), out_(ZSTD_CStreamOutSize()) {
        if (!context_) throw std::bad_alloc();
        checked(ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, zstd_level));
        checked(ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1));
    }

    // begin(size) begins a frame of so many bytes, which its header says.
    void begin(std::uint64_t size) { checked(ZSTD_CCtx_setPledgedSrcSize(context_.get(), size)); }
    void add(Bytes bytes) { feed(bytes, ZSTD_e_continue); }
    void end() { feed({}, ZSTD_e_end); }

  private:
    // Nothing but a lack of memory can fail: the sizes are those that were announced.
    static void checked(std::size_t status) {
        if (ZSTD_isError(status) != 0) throw std::bad_alloc();
    }
    void feed(Bytes bytes, ZSTD_EndDirective directive) {
        ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
        for (;;) {
            ZSTD_outBuffer out{out_.data(), out_.size(), 0};
            const auto left = ZSTD_compressStream2(context_.get(), &out, &in, directive);
            checked(left);
            if (out.pos != 0) put_(Bytes(out_).first(out.pos));
            if (directive == ZSTD_e_end ? left == 0 : in.pos == in.size) return;
        }
    }

    struct Free {
        void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
    };
    const Callback<void(Bytes)>& put_;
    std::unique_ptr<ZSTD_CCtx, Free> context_;
    std::vector<std::byte> out_;
};

// TarWriter is libarchive's writer of one member, whose output stays in memory until somebody takes it. Its options
// cannot change behind the first member.
class TarWriter {
  public:
    explicit TarWriter(const Libarchive& library) : library_(library), archive_(library.write_new()) {
        if (archive_ == nullptr) throw std::bad_alloc();
        entry_ = library_.entry_new2(archive_);
        if (entry_ == nullptr) {
            library_.write_free(archive_);
            throw std::bad_alloc();
        }
    }
    TarWriter(const TarWriter&) = delete;
    TarWriter& operator=(const TarWriter&) = delete;
    ~TarWriter() {
        library_.entry_free(entry_);
        library_.write_free(archive_);
    }

    // Names are bytes, whatever the locale. Only those that are not ASCII say so: other tars warn of the mark. Nothing
    // is gathered to blocks.
    bool open(bool ascii) {
        return library_.write_set_format_pax_restricted(archive_) == ARCHIVE_OK &&
               (ascii || library_.write_set_format_option(archive_, "pax", "hdrcharset", "BINARY") == ARCHIVE_OK) &&
               library_.write_set_bytes_per_block(archive_, 0) == ARCHIVE_OK &&
               library_.write_set_bytes_in_last_block(archive_, 1) == ARCHIVE_OK &&
               library_.write_open(archive_, this, nullptr, &TarWriter::take, nullptr) == ARCHIVE_OK;
    }
    bool header(const std::string& name, std::uint64_t size) {
        library_.entry_set_pathname(entry_, name.c_str());
        library_.entry_set_size(entry_, static_cast<la_int64_t>(size));
        library_.entry_set_filetype(entry_, AE_IFREG);
        library_.entry_set_perm(entry_, file_permissions);
        library_.entry_set_mtime(entry_, 0, 0);
        return library_.write_header(archive_, entry_) >= ARCHIVE_WARN;
    }
    bool data(Bytes bytes) {
        return library_.write_data(archive_, bytes.data(), bytes.size()) == static_cast<la_ssize_t>(bytes.size());
    }
    bool end_of_member() { return library_.write_finish_entry(archive_) >= ARCHIVE_WARN; }
    bool close() { return library_.write_close(archive_) >= ARCHIVE_WARN; }

    Bytes made() const { return made_; }
    void clear() { made_.clear(); }
    std::string why() const {
        const char* text = library_.error_string(archive_);
        return text != nullptr ? text : "cannot be packed";
    }

  private:
    // Called from C: it must not throw.
    static la_ssize_t take(archive*, void* of, const void* data, std::size_t size) noexcept try {
        const auto* bytes = static_cast<const std::byte*>(data);
        auto& made = static_cast<TarWriter*>(of)->made_;
        made.insert(made.end(), bytes, bytes + size);
        return static_cast<la_ssize_t>(size);
    } catch (...) {
        return ARCHIVE_FATAL;
    }

    const Libarchive& library_;
    archive* archive_;
    archive_entry* entry_ = nullptr;
    std::vector<std::byte> made_;
};

// MemberPacker packs member after member.
class MemberPacker {
  public:
    MemberPacker(const Libarchive& library, const Callback<void(Bytes)>& put, const LookOut& look, std::uint64_t all)
        : library_(library), frames_(put), look_(look), all_(all), block_(packed_block) {}

    Result<void> add(const PackedMember& member) {
        const auto size = member.content->size();
        look_.ask();
        TarWriter tar(library_);
        const auto failed = [&] { return fail(ErrorCode::io, Error::no_offset, member.name, tar.why()); };
        const bool ascii = std::ranges::all_of(member.name, [](char c) { return static_cast<signed char>(c) >= 0; });
        if (!tar.open(ascii) || !tar.header(member.name, size)) return failed();
        frames_.begin(tar.made().size() + in_tar_units(size));
        pass(tar);
        Sha256 hash;
        for (std::uint64_t at = 0; at < size;) {
            const auto part = std::span(block_).first(std::min<std::uint64_t>(block_.size(), size - at));
            const auto got = member.content->read_at(at, part);
            if (!got) return fail(got.error());
            if (*got != part.size()) {
                return fail(ErrorCode::io, Error::no_offset, member.name,
                            "has " + std::to_string(at + *got) + " bytes, and not " + std::to_string(size) +
                                ": it has shrunk meanwhile");
            }
            if (!member.sha256.empty()) hash.add(part);
            if (!tar.data(part)) return failed();
            pass(tar);
            at += part.size();
            done_ += part.size();
            if (look_.watch().progress) look_.watch().progress(done_, all_);
            look_.ask();
        }
        if (!member.sha256.empty() && hash.hex() != member.sha256) {
            return fail(ErrorCode::io, Error::no_offset, member.name, "has changed while it was packed");
        }
        if (!tar.end_of_member()) return failed();
        pass(tar);
        frames_.end();
        return {};
    }
    Result<void> close() {
        TarWriter tar(library_);
        if (!tar.open(true) || !tar.close()) return fail(ErrorCode::io, Error::no_offset, {}, tar.why());
        frames_.begin(tar.made().size());
        pass(tar);
        frames_.end();
        return {};
    }

  private:
    void pass(TarWriter& tar) {
        frames_.add(tar.made());
        tar.clear();
    }

    const Libarchive& library_;
    FramePacker frames_;
    const LookOut& look_;
    std::uint64_t all_, done_ = 0;
    std::vector<std::byte> block_;
};

}  // namespace

Result<void> pack_members(std::span<const PackedMember> members, const Callback<void(Bytes)>& put, const Watch& watch) {
    std::uint64_t all = 0;
    for (const auto& member : members) {
        if (!is_bundled_name(member.name)) {
            return fail(ErrorCode::malformed, Error::no_offset, member.name, "is no name for a member of a bundle");
        }
        all += member.content->size();
    }
    const auto library = Libarchive::load("the bundle", "what packs it");
    if (!library) return fail(library.error());
    try {
        const LookOut look(watch, all);
        MemberPacker packer(*library, put, look, all);
        for (const auto& member : members) {
            if (auto added = packer.add(member); !added) return added;
        }
        return packer.close();
    } catch (const Stopped&) {
        return fail(ErrorCode::cancelled, Error::no_offset, {}, "asked to stop");
    }
}

}  // namespace perfdata

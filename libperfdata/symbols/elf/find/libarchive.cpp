// SPDX-License-Identifier: MIT
#include "libarchive.hpp"

#include <string>
#include <utility>

namespace perfdata {

Result<Libarchive> Libarchive::load(const std::string& path, std::string_view need) {
    auto library = platform::Library::load(PERFDATA_LIBARCHIVE);
    if (!library) {
        return fail(ErrorCode::unsupported, Error::no_offset, path,
                    std::string(need) + " cannot be loaded: " + library.error() + "; install " PERFDATA_LIBARCHIVE);
    }
    Libarchive all(std::move(*library));
    bool whole = true;
    const auto find = [&](auto& function, const char* name) {
        function = all.library_.function<std::remove_reference_t<decltype(function)>>(name);
        whole = whole && function != nullptr;
    };
    find(all.read_new, "archive_read_new");
    find(all.read_free, "archive_read_free");
    find(all.read_support_format_tar, "archive_read_support_format_tar");
    find(all.read_support_format_raw, "archive_read_support_format_raw");
    find(all.read_append_filter, "archive_read_append_filter");
    find(all.read_set_read_callback, "archive_read_set_read_callback");
    find(all.read_set_callback_data, "archive_read_set_callback_data");
    find(all.read_open1, "archive_read_open1");
    find(all.read_data_skip, "archive_read_data_skip");
    find(all.read_next_header2, "archive_read_next_header2");
    find(all.read_data_block, "archive_read_data_block");
    find(all.error_string, "archive_error_string");
    find(all.filter_bytes, "archive_filter_bytes");
    find(all.entry_new2, "archive_entry_new2");
    find(all.entry_free, "archive_entry_free");
    find(all.entry_pathname, "archive_entry_pathname");
    find(all.entry_pathname_utf8, "archive_entry_pathname_utf8");
    find(all.entry_hardlink, "archive_entry_hardlink");
    find(all.entry_symlink, "archive_entry_symlink");
    find(all.entry_filetype, "archive_entry_filetype");
    find(all.entry_size, "archive_entry_size");
    find(all.entry_sparse_count, "archive_entry_sparse_count");
    find(all.read_set_skip_callback, "archive_read_set_skip_callback");
    find(all.write_new, "archive_write_new");
    find(all.write_free, "archive_write_free");
    find(all.write_set_format_pax_restricted, "archive_write_set_format_pax_restricted");
    find(all.write_set_format_option, "archive_write_set_format_option");
    find(all.write_set_bytes_per_block, "archive_write_set_bytes_per_block");
    find(all.write_set_bytes_in_last_block, "archive_write_set_bytes_in_last_block");
    find(all.write_open, "archive_write_open");
    find(all.write_header, "archive_write_header");
    find(all.write_data, "archive_write_data");
    find(all.write_finish_entry, "archive_write_finish_entry");
    find(all.write_close, "archive_write_close");
    find(all.entry_set_pathname, "archive_entry_set_pathname");
    find(all.entry_set_size, "archive_entry_set_size");
    find(all.entry_set_filetype, "archive_entry_set_filetype");
    find(all.entry_set_perm, "archive_entry_set_perm");
    find(all.entry_set_mtime, "archive_entry_set_mtime");
    if (!whole) {
        return fail(ErrorCode::unsupported, Error::no_offset, path,
                    std::string(need) + " lacks a function: " PERFDATA_LIBARCHIVE " is too old");
    }
    return all;
}

}  // namespace perfdata

// SPDX-License-Identifier: MIT
// Names of the kernel, from sources proven to match the recorded one.
#include "perfdata/symbols/kernel/kernel_names.hpp"

#include "catch.hpp"
#include "unit/symbols/elf_case.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

constexpr std::uint64_t kernel_text_at = 0xffffffff90000000, linked_at = 0xffffffff81000000;
const std::string kernel_link_of_1 = "/.build-id/01/02030405060708090a0b0c0d0e0f1011121314";

Blob kallsyms(std::string_view start = "ffffffff9") {
    std::string text;
    text += std::string(start) + "0000000 T _text\n";
    text += std::string(start) + "0000100 T do_work\n";
    text += "ffffffffc0000000 t helper\t[xfs]\n";
    return blob_of(text);
}

Blob vmlinux(const BuildId& build_id) {
    Elf elf;
    elf.type = 2;
    elf.section(Elf::text).address = linked_at;
    elf.build_id(build_id.bytes());
    elf.symbols(
        {{"_text", linked_at, 0, Elf::label}, {"startup", linked_at, 0x80}, {"do_work", linked_at + 0x100, 0x40}});
    return elf.blob();
}

Blob notes(const BuildId& build_id) {
    Writer out(std::endian::native);
    out.u32(4).u32(4).u32(1).text("Xen").u8(0).u32(7);  // another note first
    return out.u32(4).u32(build_id.size).u32(3).text("GNU").u8(0).bytes(build_id.bytes()).take();
}

struct TestMachine {
    std::shared_ptr<Files> files = std::make_shared<Files>();
    FinderOptions options;
    RecordedKernel kernel{"_text", {kernel_text_at}, id(1), "6.1.0-x", {}};

    Result<KernelNames> load() const { return KernelNames::load(kernel, ObjectFinder(options, files)); }
    std::string origin() const {
        const auto names = load();
        return names ? names->origin() : std::string(to_string(names.error().code));
    }
};

}  // namespace

TEST_CASE("Kernel and modules are told apart", "[symbols][kernel_names]") {
    TestMachine machine;
    machine.options.kallsyms = "/k";
    machine.files->content["/k"] = kallsyms();
    const auto names = machine.load();
    REQUIRE(names);
    const auto work = names->find({kernel_text_at + 0x104});
    REQUIRE(work);
    CHECK(work->name == "do_work");
    CHECK(work->module.empty());
    CHECK(work->offset == 4);
    CHECK(work->function == Address{kernel_text_at + 0x100});
    CHECK(names->find({0xffffffffc0000010})->module == "xfs");
    CHECK_FALSE(names->find({kernel_text_at - 1}));
    CHECK(names->kallsyms() != nullptr);
}

TEST_CASE("A kallsyms file of another boot is refused", "[symbols][kernel_names]") {
    TestMachine machine;
    machine.options.kallsyms = "/k";
    machine.files->content["/k"] = kallsyms("ffffffffa");
    CHECK(machine.origin() == "mismatch");
    // Not used if a better source exists.
    machine.options.vmlinux = "/vmlinux";
    machine.files->content["/vmlinux"] = vmlinux(id(1));
    CHECK(machine.origin() == "/vmlinux");
}

TEST_CASE("A file that was given but cannot be read is told of", "[symbols][kernel_names]") {
    TestMachine machine;
    machine.options.kallsyms = "/k";
    CHECK(machine.origin() == "missing");
    CHECK(machine.load().error().where == "/k");
    machine.files->content["/k"] = blob_of("nonsense\n");
    CHECK(machine.origin() == "malformed");
    machine.options.kallsyms.clear();
    CHECK(machine.load().error().detail.find("--kallsyms") != std::string::npos);
}

TEST_CASE("vmlinux is moved to where the recorded kernel was", "[symbols][kernel_names]") {
    TestMachine machine;
    machine.options.vmlinux = "/vmlinux";
    machine.files->content["/vmlinux"] = vmlinux(id(1));
    const auto names = machine.load();
    REQUIRE(names);
    CHECK(names->relocation() == kernel_text_at - linked_at);
    CHECK(names->find({kernel_text_at + 0x110})->name == "do_work");
    CHECK(names->find({kernel_text_at + 0x110})->function == Address{kernel_text_at + 0x100});
    CHECK_FALSE(names->find({linked_at + 0x110}));
    CHECK_FALSE(names->find({kernel_text_at + 0x140}));
    CHECK(names->kallsyms() == nullptr);

    machine.files->content["/vmlinux"] = vmlinux(id(2));
    CHECK(machine.origin() == "mismatch");
    machine.files->content["/vmlinux"] = vmlinux(id(1));
    machine.kernel.reference_address = {};  // hidden from the recorder
    CHECK(machine.origin() == "missing");
}

TEST_CASE("The cache's kallsyms of another boot names the kernel but not its modules", "[symbols][kernel_names]") {
    TestMachine machine;
    machine.options.buildid_dir = "/cache";
    for (const auto& place : {"/cache" + kernel_link_of_1 + "/kallsyms", "/cache" + kernel_link_of_1}) {
        machine.files->content = {{place, kallsyms("ffffffffa")}};
        const auto names = machine.load();
        REQUIRE(names);
        CHECK(names->origin() == place);
        CHECK(names->find({kernel_text_at + 0x104})->name == "do_work");
        CHECK(names->find({kernel_text_at + 0x104})->function == Address{kernel_text_at + 0x100});
        CHECK_FALSE(names->find({0xffffffffc0000010 + names->relocation()}));
        CHECK(names->kallsyms() == nullptr);
    }
    machine.kernel.build_id = id(2);
    CHECK(machine.origin() == "missing");
}

TEST_CASE("The running kernel is used if build id and place prove it", "[symbols][kernel_names]") {
    TestMachine machine;
    machine.files->content["/proc/kallsyms"] = kallsyms();
    CHECK(machine.origin() == "missing");
    machine.files->content["/sys/kernel/notes"] = notes(id(2));
    CHECK(machine.origin() == "missing");
    machine.files->content["/sys/kernel/notes"] = notes(id(1));
    CHECK(machine.origin() == "/proc/kallsyms");
    machine.options.offline = true;
    CHECK(machine.origin() == "missing");
    machine.options.offline = false;
    machine.files->content["/proc/kallsyms"] = kallsyms("ffffffffa");
    CHECK(machine.origin() == "missing");
    machine.files->content["/proc/kallsyms"] = kallsyms();
    machine.kernel.reference_address = {};
    CHECK(machine.origin() == "missing");
    machine.kernel.reference_address = {kernel_text_at};
    machine.kernel.build_id = {};
    CHECK(machine.origin() == "missing");
}

TEST_CASE("The running kernel is used without a build id where the user says so", "[symbols][kernel_names]") {
    TestMachine machine;
    machine.kernel.build_id = {};
    machine.files->content["/proc/kallsyms"] = kallsyms();
    machine.files->content["/proc/sys/kernel/osrelease"] = blob_of("6.1.0-x\n");
    CHECK(machine.load().error().detail.find("add --allow-local") != std::string::npos);
    machine.options.allow_local = true;
    machine.options.local_buildid_dir = "/cache";
    CHECK(machine.origin() == "/proc/kallsyms");
    CHECK(machine.load()->running());
    SECTION("not one of another boot") {
        machine.files->content["/proc/kallsyms"] = kallsyms("ffffffffa");
        CHECK(machine.load().error().detail.find("booted since") != std::string::npos);
    }
    SECTION("nor of another release") {
        machine.files->content["/proc/sys/kernel/osrelease"] = blob_of("6.1.0-y\n");
        CHECK(machine.origin() == "missing");
    }
    SECTION("nor where it is not known where the recorded one was") {
        machine.kernel.reference_address = {};
        CHECK(machine.origin() == "missing");
    }
    SECTION("nor one of which the recording has another build id") {
        machine.kernel.build_id = id(2);
        machine.files->content["/sys/kernel/notes"] = notes(id(1));
        CHECK(machine.origin() == "missing");
    }
}

TEST_CASE("A cached copy is read instead of /proc/kallsyms if kernel and modules are where they were",
          "[symbols][kernel_names]") {
    TestMachine machine;
    const auto copy = "/cache" + kernel_link_of_1 + "/kallsyms";
    machine.options.local_buildid_dir = "/cache";
    machine.kernel.modules = {{"xfs", {{0xffffffffc0000000}, 0x1000}}};
    machine.files->content = {{"/proc/kallsyms", kallsyms()}, {"/sys/kernel/notes", notes(id(1))}, {copy, kallsyms()}};
    CHECK(machine.origin() == copy);
    CHECK(machine.load()->running());
    CHECK(machine.load()->find({0xffffffffc0000010})->module == "xfs");

    SECTION("the copy is of another boot") {
        machine.files->content[copy] = kallsyms("ffffffffa");
        CHECK(machine.origin() == "/proc/kallsyms");
        machine.files->content[copy] = blob_of("ffffffff90000100 T do_work\nffffffffc0000000 t helper\t[xfs]\n");
        CHECK(machine.origin() == "/proc/kallsyms");
    }
    SECTION("a module was elsewhere") {
        machine.kernel.modules[0].range.begin = {0xffffffffc0002000};
        CHECK(machine.origin() == "/proc/kallsyms");
    }
    SECTION("a module came later") {
        machine.kernel.modules.push_back({"ext4", {{0xffffffffc0002000}, 0x1000}});
        CHECK(machine.origin() == "/proc/kallsyms");
    }
    SECTION("the machine was booted again") {
        machine.files->content["/proc/kallsyms"] = kallsyms("ffffffffa");
        machine.kernel.modules[0].range.begin = {0xffffffffc0002000};
        CHECK(machine.origin() == copy);  // as on any machine with the recording's cache
        CHECK_FALSE(machine.load()->running());
        CHECK(machine.load()->find({kernel_text_at + 0x104})->name == "do_work");
        CHECK_FALSE(machine.load()->find({0xffffffffc0000010}));
    }
}

TEST_CASE("A kcore directory of the recording has the names of its boot", "[symbols][kernel_names]") {
    TestMachine machine;
    machine.options.recording_dir = "/rec";
    machine.options.offline = true;
    machine.files->content["/rec/kcore_dir/kallsyms"] = kallsyms();
    CHECK(machine.origin() == "/rec/kcore_dir/kallsyms");
}

TEST_CASE("vmlinux is found where distributions put it", "[symbols][kernel_names]") {
    TestMachine machine;
    for (const auto& place : {"/usr/lib/debug" + kernel_link_of_1 + ".debug", std::string("/boot/vmlinux-6.1.0-x"),
                              std::string("/usr/lib/debug/lib/modules/6.1.0-x/vmlinux")}) {
        machine.files->content = {{place, vmlinux(id(1))}};
        CHECK(machine.origin() == place);
        machine.files->content = {{place, vmlinux(id(2))}};
        CHECK(machine.origin() == "missing");
    }
    machine.files->content = {{"/boot/vmlinux-../x", vmlinux(id(1))}};
    machine.kernel.os_release = "../x";
    CHECK(machine.origin() == "missing");
}

# SPDX-License-Identifier: MIT
"""Programs of others that name files of root as their sources, in any way: for what root makes of their recordings.

`packs(recording, *options)` makes something with the text of sources. It returns whether "SECRET" is in it, and what it
said on standard error. With `by=AS_USER` an ordinary user makes it.
"""
import os
import re
import shutil
import struct
import subprocess
import time

from checks import COMPILER, ENVIRONMENT, SCRATCH, WORK, complain, folder, record, run, skip

NOBODY, USER = 65534, 12345
AS_USER = ("setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups")
# With no library: the C library may have a debug file here, whose sources are not here, and now and then a sample.
# The start code has no frame pointers: a chain may then name any place, one of a header of the library among them.
FLAGS = ("-O2", "-g", "-static", "-Wl,--build-id")


def secret_at(path, mode=0o600):
    """Makes a file of root's that is older than any program."""
    with open(path, "w", encoding="ascii") as file:
        file.write("// SECRET\n" * 200)
    os.chmod(path, mode)
    os.utime(path, (1, 1))
    return path


def expect(packs, what, wanted, recording, *options, why="", **by):
    """What is left out is told with the reason and what takes it."""
    packed, told = packs(recording, *options, **by)
    is_told = re.search(r"--source-dir DIR takes (?!it \(stdio\.h\))", told) is not None
    if packed != wanted or is_told == wanted or (not wanted and why not in told):
        complain(f"{what}: {packed}, not {wanted} ({why}): {told}")
    # Whoever wrote the program chose the name of the secret: no option that takes it is told ready to be copied.
    if "--source-dir /" in told:
        complain(f"{what}: what is suggested: {told}")


def named(path, program):
    """Builds a program whose debug information has that path. Returns its own."""
    with open(WORK, encoding="ascii") as file:
        text = file.read()
    source = os.path.join(SCRATCH, program + ".cpp")
    with open(source, "w", encoding="ascii") as file:
        file.write(f'#line 1 "{path}"\n{text}')
    time.sleep(1.1)  # the text must not be younger
    built = os.path.join(SCRATCH, program)
    run(COMPILER, *FLAGS, source, "-o", built)
    return built


def named_by_programs(packs):
    """Programs whose debug information has the path of the secret."""
    place = folder("named_secret")
    secret = secret_at(os.path.join(place, "secret"))
    program = named(secret, "named")
    recording = record(folder("named_source"), program, "3000")

    def is_packed(what, wanted, *options):
        expect(packs, what, wanted, recording, *options, why=f"{secret}: not everybody may read it")

    is_packed("a source of one's own program, by root", False)
    is_packed("a source of one's own program in --source-dir", True, "--source-dir", place)
    os.chown(program, NOBODY, NOBODY)
    is_packed("a secret source of another user's program", False)
    os.chown(secret, NOBODY, NOBODY)
    is_packed("a source of the program's owner", False)
    os.chown(secret, 0, 0)
    os.chmod(secret, 0o644)
    is_packed("a source that everybody may read", True)
    os.chmod(place, 0o700)
    is_packed("a source that everybody may read, but not reach", False)
    os.chmod(place, 0o755)
    os.chmod(secret, 0o600)
    copied_program(packs, secret)


def copied_program(packs, secret):
    """Programs of another user that perf copied to root's cache, which run again by the path of the copy."""
    program = named(secret, "copied")
    there = os.path.join(folder("home/.debug" + program + "/0123456789abcdef0123456789abcdef01234567"), "elf")
    shutil.copy(program, there)
    for options in (("--buildid-all",), ("--buildid-mmap",)):
        recording = os.path.join(folder("copied_recording"), "perf.data")
        run("perf", "record", "-q", "-N", *options, "-F", "999", "-e", "cpu-clock:u", "-o", recording, "--", there, "3000")
        expect(packs, f"a secret source of a copy in the cache, {options}", False, recording)


def led_astray(packs):
    """Programs of root, built in a directory of another user, who makes the names of their sources lead elsewhere."""
    place = folder("astray")
    secret = secret_at(os.path.join(place, "secret"))
    theirs = folder("astray/theirs")
    source = os.path.join(theirs, "x.cpp")
    shutil.copy(WORK, source)
    program, moved = os.path.join(place, "program"), os.path.join(place, "moved")
    run(COMPILER, *FLAGS, source, "-o", program)
    run(COMPILER, *FLAGS, f"-fdebug-prefix-map={theirs}=/usr/src/perfdata-gone", source, "-o", moved)
    recording = record(folder("astray/recorded"), program, "3000")
    given = record(folder("astray/given"), moved, "3000")
    os.remove(source)

    def is_packed(what, wanted, *options, of=recording):
        expect(packs, f"sources of root's program, {what}", wanted, of, *options)

    os.symlink("../secret", source)
    os.lchown(source, NOBODY, NOBODY)
    is_packed("a link of another user", False)
    is_packed("a link of another user in --source-dir", False, "--source-dir", theirs, of=given)
    os.lchown(source, 0, 0)
    is_packed("a link that leads out of --source-dir", False, "--source-dir", theirs, of=given)
    os.chmod(secret, 0o644)
    is_packed("a link that leads out of --source-dir to everybody's file", True, "--source-dir", theirs, of=given)
    os.chmod(secret, 0o600)
    os.remove(source)
    os.link(secret, source)
    is_packed("a file in --source-dir", True, "--source-dir", theirs, of=given)
    os.rename(theirs, theirs + ".kept")
    os.symlink("theirs.kept", theirs)
    os.lchown(theirs, NOBODY, NOBODY)
    is_packed("a directory that is a link of another user", False)
    is_packed("--source-dir that is a link of another user", False, "--source-dir", theirs, of=given)


def below_proc(packs):
    """A program of another user whose lines name what only a service of root's has, in mounts of its own."""
    if run("unshare", "-m", "true", check=False).returncode != 0:
        return print("not tested: no mount namespaces here")
    place = folder("service")
    script = os.path.join(SCRATCH, "service.sh")
    with open(script, "w", encoding="ascii") as file:
        file.write(f"mount -t tmpfs none {place} && yes // SECRET | head -n 200 >{place}/token && touch -d @1 {place}/token && "
                   f"chmod 444 {place}/token && echo ready && exec sleep 120\n")
    with subprocess.Popen(["unshare", "-m", "--propagation", "private", "sh", script], env=ENVIRONMENT, text=True,
                          stdout=subprocess.PIPE) as service:
        try:
            if service.stdout.readline() != "ready\n":
                complain("no service in mounts of its own")
            root = f"/proc/{service.pid}/root"
            program = named(f"{root}{place}/token", "below_proc")
            os.chown(program, NOBODY, NOBODY)
            recording = record(folder("below_proc_recording"), program, "3000")
            expect(packs, "a file of a process's root", False, recording)
            # The same for a program of root's: no compiler reads there.
            os.chown(program, 0, 0)
            expect(packs, "a file of a process's root, named by root's program", False, recording)
            # A link of another user leads there.
            theirs = folder("below_proc_theirs")
            os.symlink(f"{root}{place}/token", os.path.join(theirs, "x.cpp"))
            os.lchown(os.path.join(theirs, "x.cpp"), NOBODY, NOBODY)
            program = named(os.path.join(theirs, "x.cpp"), "below_proc_link")
            os.chown(program, NOBODY, NOBODY)
            recording = record(folder("below_proc_link_recording"), program, "3000")
            expect(packs, "a link into a process's root", False, recording)
            # By its plain name: the service is in the recording, too.
            program = named(f"{place}/token", "of_service")
            os.chown(program, NOBODY, NOBODY)
            recording = os.path.join(folder("of_service_recording"), "perf.data")
            with subprocess.Popen([program, "100000"], env=ENVIRONMENT, stdout=subprocess.DEVNULL) as theirs:
                run("perf", "record", "-q", "-N", "--buildid-all", "-F", "999", "-e", "cpu-clock:u", "-p",
                    f"{service.pid},{theirs.pid}", "-o", recording, "--", "sleep", "1")
                theirs.kill()
            packed, told = packs(recording)
            if packed:
                complain(f"a file of a service that is in the recording: {told}")
        finally:
            service.kill()


def own_sources(packs):
    """Private sources of an ordinary user, who may pack those of programs that are proven to be the user's own."""
    place = folder("own")
    secret = secret_at(os.path.join(place, "secret"))
    program = named(secret, "own/program")
    recording = record(folder("own_recording"), program, "3000")
    os.chmod(recording, 0o644)
    for path in (place, secret, program):
        os.chown(path, USER, USER)

    def is_packed(what, wanted, why="", of=recording):
        expect(packs, f"a private source of an ordinary user, {what}", wanted, of, why=why, by=AS_USER)

    is_packed("of the user's own program", True)
    os.chown(recording, NOBODY, NOBODY)
    is_packed("of a recording of another user", False, "others may have written the recording")
    os.chown(recording, 0, 0)
    os.chmod(recording, 0o666)
    is_packed("of a recording that others may write", False, "others may have written the recording")
    os.chmod(recording, 0o644)
    for owner in (0, NOBODY):
        os.chown(program, owner, owner)
        is_packed(f"of a program of user {owner}", False, "the program belongs to another user")
    for group, mode, wanted in ((NOBODY, 0o755, True), (NOBODY, 0o775, False), (USER, 0o775, True), (0, 0o757, False)):
        os.chown(program, USER, group)
        os.chmod(program, mode)
        is_packed(f"of a program of group {group}, mode {mode:o}", wanted, "others may write the program")
    os.chown(program, USER, USER)
    os.chmod(program, 0o775)
    if access_list(program):
        is_packed("of a program that an access list lets others write", False, "others may write the program")
        os.removexattr(program, "system.posix_acl_access")
    # Another file by the recorded path, and a copy by a build id, are not what the user ran.
    shutil.copy(program, program + ".copy")
    os.rename(program, program + ".kept")
    os.rename(program + ".copy", program)
    os.chown(program, USER, USER)
    is_packed("of a copy of the program", False, "the program is not the file that ran")
    os.rename(program + ".kept", program)
    cached = os.path.join(folder("own/0123456789abcdef0123456789abcdef01234567"), "elf")
    shutil.copy(program, cached)
    os.chown(cached, USER, USER)
    of_copy = record(folder("own_copy_recording"), cached, "3000")
    os.chmod(of_copy, 0o644)
    is_packed("of a copy in a cache", False, "the program is a copy by its build id", of=of_copy)
    # The way to the source.
    for owner, mode, why in ((NOBODY, 0o755, "belongs to another user"), (USER, 0o777, "others may write"), (USER, 0o755, "")):
        os.chown(place, owner, owner)
        os.chmod(place, mode)
        is_packed(f"in a directory of {owner}, mode {mode:o}", not why, why)
    os.chown(place, 0, 0)
    os.chmod(place, 0o1777)
    expect_shared(packs, recording, secret)


def expect_shared(packs, recording, secret):
    """A private source directly in a directory where everybody may put files: only as its owner wrote it there."""
    os.remove(secret)
    subprocess.run([*AS_USER, "sh", "-c", f"umask 077; yes '// SECRET' | head -n 200 >{secret}"], check=True)
    # The text is younger than the program then: touch that.
    program = os.path.join(os.path.dirname(secret), "program")
    later = time.time() + 60
    os.utime(program, (later, later))
    expect(packs, "a private source in a sticky directory", True, recording, by=AS_USER)
    os.link(secret, secret + ".link")
    expect(packs, "a private source with two names in a sticky directory", False, recording, why="everybody may put files", by=AS_USER)
    os.remove(secret + ".link")
    os.rename(secret, secret + ".moved")
    os.rename(secret + ".moved", secret)
    expect(packs, "a private source that was moved to a sticky directory", False, recording, why="everybody may put files", by=AS_USER)


def access_list(path):
    """Lets NOBODY write a file by an access list. Returns false if there are none here."""
    entry = "<HHI"
    entries = ((1, 7, 0xffffffff), (2, 7, NOBODY), (4, 5, 0xffffffff), (16, 7, 0xffffffff), (32, 5, 0xffffffff))
    try:
        os.setxattr(path, "system.posix_acl_access", struct.pack("<I", 2) + b"".join(struct.pack(entry, *one) for one in entries))
    except OSError:
        print("not tested: no access lists here")
        return False
    return True


def mounted_home(packs):
    """An ordinary user's programs and sources in a home that is mounted with nosuid."""
    for how in (("--bind", folder("home")), ("-t", "tmpfs", "-o", "mode=755", "none")):
        place = folder("mounted_home")
        if run("mount", *how, place, check=False).returncode != 0:
            return print("not tested: nothing can be mounted here")
        try:
            run("mount", "-o", "remount,bind,nosuid,nodev", place)
            source = secret_at(os.path.join(place, "x.cpp"))
            program = named(source, "mounted_home/program")
            recording = record(folder("mounted_home_recording"), program, "3000")
            os.chmod(recording, 0o644)
            for path in (place, source, program, folder("home")):
                os.chown(path, USER, USER)
            expect(packs, f"a private source in a home with nosuid, {how}", True, recording, by=AS_USER)
            expect(packs, f"a private source in a home with nosuid, by root, {how}", False, recording)
        finally:
            run("umount", "-l", place)
            os.chown(folder("home"), 0, 0)


def below_symfs(packs):
    """A link of another user inside of --symfs."""
    image = folder("image")
    secret_at(os.path.join(folder("image/etc"), "secret"))
    built = folder("image_built")
    shutil.copy(WORK, os.path.join(built, "x.cpp"))
    program = os.path.join(SCRATCH, "image_program")
    run(COMPILER, *FLAGS, f"-fdebug-prefix-map={built}=/home/theirs", os.path.join(built, "x.cpp"), "-o", program)
    inside = folder("image" + os.path.dirname(program))
    shutil.copy(program, inside)
    recording = record(folder("image_recording"), program, "3000")
    link = os.path.join(folder("image/home/theirs"), "x.cpp")
    os.symlink("/etc/secret", link)
    expect(packs, "a link of root in --symfs", True, recording, "--symfs", image)
    os.lchown(link, NOBODY, NOBODY)
    expect(packs, "a link of another user in --symfs", False, recording, "--symfs", image)
    os.chmod(os.path.join(image, "etc/secret"), 0o644)
    expect(packs, "a link of another user to everybody's file in --symfs", True, recording, "--symfs", image)


def attack(packs):
    """All of them."""
    if os.statvfs(SCRATCH).f_flag & os.ST_NOSUID:
        skip("owners prove nothing in the scratch directory (nosuid): set TMPDIR to another one")
    for one in (named_by_programs, led_astray, below_proc, own_sources, mounted_home, below_symfs):
        one(packs)

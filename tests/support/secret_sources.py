# SPDX-License-Identifier: MIT
"""Programs of others that name files of root as their sources, in any way: for what root makes of their recordings.

`packs(recording, *options)` makes something with the text of sources. It returns whether "SECRET" is in it, and what it
said on standard error.
"""
import os
import shutil
import subprocess
import time

from checks import COMPILER, ENVIRONMENT, SCRATCH, WORK, complain, folder, record, run, skip

NOBODY = 65534


def secret_at(path, mode=0o600):
    """Makes a file of root's that is older than any program."""
    with open(path, "w", encoding="ascii") as file:
        file.write("// SECRET\n" * 200)
    os.chmod(path, mode)
    os.utime(path, (1, 1))
    return path


def expect(packs, what, wanted, word, recording, *options):
    packed, told = packs(recording, *options)
    if packed != wanted or (word in told) == wanted:
        complain(f"{what}: {packed}, not {wanted}: {told}")


def named(path, program):
    """Builds a program whose debug information has that path. Returns its own."""
    with open(WORK, encoding="ascii") as file:
        text = file.read()
    source = os.path.join(SCRATCH, program + ".cpp")
    with open(source, "w", encoding="ascii") as file:
        file.write(f'#line 1 "{path}"\n{text}')
    time.sleep(1.1)  # the text must not be younger
    built = os.path.join(SCRATCH, program)
    run(COMPILER, "-O2", "-g", "-Wl,--build-id", source, "-o", built)
    return built


def named_by_programs(packs):
    """Programs whose debug information has the path of the secret."""
    secret = secret_at(os.path.join(folder("named_secret"), "secret"))
    program = named(secret, "named")
    source = os.path.join(SCRATCH, "named.cpp")
    recording = record(folder("named_source"), program, "3000")

    def is_packed(what, wanted):
        expect(packs, what, wanted, "may not read", recording)

    is_packed("a source of one's own program", True)
    os.chown(program, NOBODY, NOBODY)
    is_packed("a secret source of another user's program", False)
    os.chown(secret, NOBODY, NOBODY)
    is_packed("a source of the program's owner", True)
    os.chown(secret, 0, 0)
    os.chmod(secret, 0o644)
    is_packed("a source that everybody may read", True)
    os.chmod(secret, 0o600)
    # The lines are those of a file in the cache, and a program of root has its build id: whoever links chooses that.
    recording = other_in_cache(source)
    is_packed("a secret source of a program that has the build id of root's", False)
    shutil.copy(os.path.join(SCRATCH, "chosen.theirs"), os.path.join(SCRATCH, "chosen"))
    is_packed("a source of a program that is in the cache as it is here", True)


def other_in_cache(source):
    """Records a program that names the secret, and leaves another one with its build id in its place."""
    build_id = "0123456789abcdef0123456789abcdef01234567"
    program = os.path.join(SCRATCH, "chosen")
    for file, name in ((source, program), (WORK, program + ".ours")):
        run(COMPILER, "-O2", "-g", f"-Wl,--build-id=0x{build_id}", file, "-o", name)
    recording = record(folder("chosen_id"), program, "3000")
    cached = folder(f"home/.debug/.build-id/{build_id[:2]}/{build_id[2:]}")
    shutil.copy(program, os.path.join(cached, "elf"))
    shutil.copy(program, program + ".theirs")
    shutil.copy(program + ".ours", program)
    return recording


def led_astray(packs):
    """Programs of root, built in a directory of another user, who makes the names of their sources lead elsewhere."""
    place = folder("astray")
    secret = secret_at(os.path.join(place, "secret"))
    theirs = folder("astray/theirs")
    source = os.path.join(theirs, "x.cpp")
    shutil.copy(WORK, source)
    program, moved = os.path.join(place, "program"), os.path.join(place, "moved")
    run(COMPILER, "-O2", "-g", "-Wl,--build-id", source, "-o", program)
    run(COMPILER, "-O2", "-g", "-Wl,--build-id", f"-fdebug-prefix-map={theirs}=/usr/src/perfdata-gone", source, "-o", moved)
    recording = record(folder("astray/recorded"), program, "3000")
    given = record(folder("astray/given"), moved, "3000")
    os.remove(source)

    def is_packed(what, wanted, *options, of=recording):
        expect(packs, f"sources of root's program, {what}", wanted, "others may have put there", of, *options)

    os.symlink("../secret", source)
    os.lchown(source, NOBODY, NOBODY)
    is_packed("a link of another user", False)
    is_packed("a link of another user in --source-dir", False, "--source-dir", theirs, of=given)
    os.lchown(source, 0, 0)
    is_packed("a link of root", True)
    is_packed("a link that leads out of --source-dir", False, "--source-dir", theirs, of=given)
    os.chmod(secret, 0o644)
    is_packed("a link that leads out of --source-dir to everybody's file", True, "--source-dir", theirs, of=given)
    os.chmod(secret, 0o600)
    os.chown(theirs, NOBODY, NOBODY)
    is_packed("a link of root in a directory of another user", False)
    os.remove(source)
    os.link(secret, source)
    is_packed("another name of root's file in a directory of another user", False)
    os.chown(theirs, 0, 0)
    is_packed("another name of root's file", True)
    is_packed("a file in --source-dir", True, "--source-dir", theirs, of=given)
    for mode in (0o777, 0o1777):
        os.chmod(theirs, mode)
        is_packed(f"a file in a directory of mode {mode:o}", False)
    os.chmod(theirs, 0o755)
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
            expect(packs, "a file of a process's root", False, "may not read", recording)
            # The same for a program of root's: no compiler reads there.
            os.chown(program, 0, 0)
            expect(packs, "a file of a process's root, named by root's program", False, "may not read", recording)
            # A link of another user leads there.
            theirs = folder("below_proc_theirs")
            os.symlink(f"{root}{place}/token", os.path.join(theirs, "x.cpp"))
            os.lchown(os.path.join(theirs, "x.cpp"), NOBODY, NOBODY)
            program = named(os.path.join(theirs, "x.cpp"), "below_proc_link")
            os.chown(program, NOBODY, NOBODY)
            recording = record(folder("below_proc_link_recording"), program, "3000")
            expect(packs, "a link into a process's root", False, "may not read", recording)
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


def brought(packs):
    """A program that belongs to root in a file system which another user brought."""
    place = folder("brought")
    program = named(secret_at(os.path.join(folder("brought_secret"), "secret")), "brought_program")
    if run("mount", "-t", "tmpfs", "-o", "nosuid,nodev,mode=755", "none", place, check=False).returncode != 0:
        return print("not tested: nothing can be mounted here")
    try:
        there = shutil.copy(program, os.path.join(place, "program"))
        recording = record(folder("brought_recording"), there, "3000")
        expect(packs, "a source of a program on a stick", False, "--source-dir DIR", recording)
        run("mount", "-o", "remount,suid", place)
        expect(packs, "a source of root's program where owners are proven", True, "--source-dir DIR", recording)
        # What lies there needs no proof if everybody may read it; and --source-dir takes the rest.
        run("mount", "-o", "remount,nosuid", place)
        os.makedirs(os.path.join(place, "src"))
        source = secret_at(os.path.join(place, "src", "x.cpp"), 0o644)
        own = named(source, "of_brought")
        recording = record(folder("of_brought_recording"), own, "3000")
        expect(packs, "everybody's source on a stick", True, "--source-dir DIR", recording)
        os.chmod(source, 0o600)
        expect(packs, "a private source on a stick", False, "--source-dir DIR", recording)
        expect(packs, "a private source on a stick in --source-dir", True, "--source-dir DIR", recording, "--source-dir",
               os.path.join(place, "src"))
    finally:
        run("umount", "-l", place)


def written_by_group(packs):
    """A program of root's that a group may write."""
    program = named(secret_at(os.path.join(folder("group_secret"), "secret")), "group_program")
    recording = record(folder("group_recording"), program, "3000")
    for group, mode, wanted in ((NOBODY, 0o755, True), (NOBODY, 0o775, False), (0, 0o775, True), (0, 0o757, False)):
        os.chown(program, 0, group)
        os.chmod(program, mode)
        expect(packs, f"a source of a program of group {group}, mode {mode:o}", wanted, "may not read", recording)


def below_symfs(packs):
    """A link of another user inside of --symfs."""
    image = folder("image")
    secret_at(os.path.join(folder("image/etc"), "secret"))
    built = folder("image_built")
    shutil.copy(WORK, os.path.join(built, "x.cpp"))
    program = os.path.join(SCRATCH, "image_program")
    run(COMPILER, "-O2", "-g", "-Wl,--build-id", f"-fdebug-prefix-map={built}=/home/theirs", os.path.join(built, "x.cpp"), "-o",
        program)
    inside = folder("image" + os.path.dirname(program))
    shutil.copy(program, inside)
    recording = record(folder("image_recording"), program, "3000")
    link = os.path.join(folder("image/home/theirs"), "x.cpp")
    os.symlink("/etc/secret", link)
    expect(packs, "a link of root in --symfs", True, "may not read", recording, "--symfs", image)
    os.lchown(link, NOBODY, NOBODY)
    expect(packs, "a link of another user in --symfs", False, "may not read", recording, "--symfs", image)
    os.chmod(os.path.join(image, "etc/secret"), 0o644)
    expect(packs, "a link of another user to everybody's file in --symfs", True, "may not read", recording, "--symfs", image)


def attack(packs):
    """All of them."""
    if os.statvfs(SCRATCH).f_flag & os.ST_NOSUID:
        skip("owners prove nothing in the scratch directory (nosuid): set TMPDIR to another one")
    for one in (named_by_programs, led_astray, below_proc, brought, written_by_group, below_symfs):
        one(packs)

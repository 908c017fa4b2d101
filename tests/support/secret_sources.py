# SPDX-License-Identifier: MIT
"""Programs of others that name files of root as their sources, in any way: for what root makes of their recordings.

`packs(recording, *options)` makes something with the text of sources. It returns whether "SECRET" is in it, and what it
said on standard error.
"""
import os
import shutil
import time

from checks import COMPILER, SCRATCH, WORK, complain, folder, record, run

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


def named_by_programs(packs):
    """Programs whose debug information has the path of the secret."""
    secret = secret_at(os.path.join(folder("named_secret"), "secret"))
    with open(WORK, encoding="ascii") as file:
        text = file.read()
    source = os.path.join(SCRATCH, "named.cpp")
    with open(source, "w", encoding="ascii") as file:
        file.write(f'#line 1 "{secret}"\n{text}')
    program = os.path.join(SCRATCH, "named")
    time.sleep(1.1)  # the text must not be younger
    run(COMPILER, "-O2", "-g", "-Wl,--build-id", source, "-o", program)
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

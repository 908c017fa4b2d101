# SPDX-License-Identifier: MIT
"""Files that are there whole or not at all, whatever is killed when."""
import contextlib
import fcntl
import hashlib
import os
import secrets
import socket

# A night may do without locks, as on a file system that has none: then work may be done twice, and the result is the
# same.
LOCKS = os.environ.get("PERFDATA_FLEET_LOCKS", "1") != "0"


def digest(path):
    """Returns the SHA-256 of a file's bytes."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sync_folder(folder):
    """Makes names in a folder last."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def temporary(path):
    """Returns a name beside path that nobody else has. What begins with a dot never counts."""
    folder, name = os.path.split(path)
    return os.path.join(folder, f".{name}.{socket.gethostname()}.{os.getpid()}.{secrets.token_hex(4)}")


def publish(fresh, path):
    """Gives a file that is complete its name. Its bytes last before its name does."""
    with open(fresh, "rb") as file:
        os.fsync(file.fileno())
    os.rename(fresh, path)
    sync_folder(os.path.dirname(path))


def write(path, data):
    """Writes a file of these bytes, or leaves what was there."""
    fresh = temporary(path)
    try:
        with open(fresh, "wb") as file:
            file.write(data)
        publish(fresh, path)
    finally:
        with contextlib.suppress(OSError):
            os.unlink(fresh)


@contextlib.contextmanager
def locked(path):
    """Holds a lock. The kernel gives it up when its holder ends, also by SIGKILL: there is nothing to clean up."""
    if not LOCKS:
        yield
        return
    with open(path, "ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield

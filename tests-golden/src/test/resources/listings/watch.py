"""Listings of a directory which another machine changes, while several processes read it.

usage: watch.py <directory, on the mount that changes> <the same, on the mount that reads> <seconds> <seed> open|hidden

The directory holds many names that stay, and one that says how often it has been changed: v<k>. A rename makes
k one more; `count` beside the directory is written afterwards. With `hidden` the directory's
mtime is set back to the same value after each change, so that it says nothing.

Whoever has read k in `count`, or in a listing, on the reading mount, must find no older one there, in a listing that
begins afterwards, and each name once.

Half of the readers keep one handle and rewind it, and one process does nothing but ask for the directory's attributes, which the
kernel takes up in whatever order.

Prints how many listings were read.
"""

import ctypes
import mmap
import os
import random
import sys
import time

NAMES = 400
READERS = 4


class Newest:
    """The highest k that any process has seen on the reading mount, in memory that they share."""

    def __init__(self):
        self.map = mmap.mmap(-1, 8 * READERS)

    def get(self):
        return max(int.from_bytes(self.map[8 * i : 8 * i + 8], "little") for i in range(READERS))

    def seen(self, reader, k):
        at = 8 * reader
        if k > int.from_bytes(self.map[at : at + 8], "little"):
            self.map[at : at + 8] = k.to_bytes(8, "little")


def change(there, until, hide, random):
    """Renames v<k> to v<k + 1>, sometimes in bursts, until the time is over."""
    directory = os.path.join(there, "many")
    k = 0
    while time.monotonic() < until:
        os.rename(os.path.join(directory, "v%d" % k), os.path.join(directory, "v%d" % (k + 1)))
        k += 1
        if hide:
            os.utime(directory, ns=(0, 10**18))
        file = os.open(os.path.join(there, "count"), os.O_WRONLY)
        os.pwrite(file, b"%20d" % k, 0)
        os.close(file)
        time.sleep(random.choice([0, 0, 0.001, 0.005, 0.05, 0.05]))
    return 0


class Dirent(ctypes.Structure):
    _fields_ = [
        ("ino", ctypes.c_uint64),
        ("off", ctypes.c_int64),
        ("reclen", ctypes.c_uint16),
        ("type", ctypes.c_uint8),
        ("name", ctypes.c_char * 256),
    ]


class KeptHandle:
    """One DIR, read from the start again and again; unlike os.listdir it never asks for attributes."""

    def __init__(self, path):
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.libc.opendir.restype = ctypes.c_void_p
        self.libc.readdir.restype = ctypes.POINTER(Dirent)
        self.dir = ctypes.c_void_p(self.libc.opendir(path.encode()))

    def names(self):
        self.libc.rewinddir(self.dir)
        found = []
        while row := self.libc.readdir(self.dir):
            name = row.contents.name.decode()
            if name not in (".", ".."):
                found.append(name)
        return found

    def close(self):
        self.libc.closedir(self.dir)


def versions(names, what):
    rest = sorted(name for name in names if not name.startswith("v"))
    expected = sorted("name%d" % i for i in range(NAMES))
    if rest != expected:
        missing = set(expected) - set(rest)
        raise AssertionError("%s: %d names, missing %s" % (what, len(rest), sorted(missing)[:5]))
    found = [int(name[1:]) for name in names if name.startswith("v")]
    if len(found) != 1:
        raise AssertionError("%s: %s" % (what, found))
    return found[0]


def read(here, until, newest, reader, keeps, random):
    """Lists again and again, by a handle for each or, if it `keeps` one, by rewinding that."""
    directory = os.path.join(here, "many")
    kept = KeptHandle(directory) if keeps else None
    opened = time.monotonic()
    listings = 0
    while time.monotonic() < until:
        if random.random() < 0.5:
            with open(os.path.join(here, "count"), "rb") as file:
                newest.seen(reader, int(file.read()))
        floor = newest.get()
        if kept is None:
            names = os.listdir(directory)
        else:
            if time.monotonic() - opened > 0.2:
                kept.close()
                kept = KeptHandle(directory)
                opened = time.monotonic()
            names = kept.names()
        k = versions(names, "reader %d, listing %d" % (reader, listings))
        if k < floor:
            raise AssertionError(
                "reader %d, listing %d: v%d, although v%d was seen before" % (reader, listings, k, floor)
            )
        newest.seen(reader, k)
        listings += 1
        time.sleep(random.choice([0, 0, 0, 0.002]))
    return listings


def ask(here, until):
    directory = os.path.join(here, "many")
    while time.monotonic() < until:
        os.stat(directory)
        time.sleep(0.0005)
    return 0


def child(work):
    """Runs it in a process of its own; ends with 1 if it raises."""
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            os.write(1, b"%d\n" % work())  # at once: others write too
            status = 0
        except BaseException as failure:  # also of a test that is stopped
            os.write(1, repr(failure).encode() + b"\n")
        os._exit(status)
    return pid


def main():
    there, here, seconds, seed = sys.argv[1], sys.argv[2], float(sys.argv[3]), int(sys.argv[4])
    hide = sys.argv[5] == "hidden"
    directory = os.path.join(there, "many")
    os.mkdir(directory)
    for i in range(NAMES):
        os.close(os.open(os.path.join(directory, "name%d" % i), os.O_CREAT | os.O_WRONLY))
    os.close(os.open(os.path.join(directory, "v0"), os.O_CREAT | os.O_WRONLY))
    with open(os.path.join(there, "count"), "wb") as file:
        file.write(b"%20d" % 0)
    there_already = os.path.join(here, "count")
    while not os.path.exists(there_already) or not os.path.getsize(there_already):
        time.sleep(0.01)
    newest = Newest()
    until = time.monotonic() + seconds
    children = [child(lambda: change(there, until, hide, random.Random(seed)))]
    children.append(child(lambda: ask(here, until)))
    for reader in range(READERS):
        keeps = reader % 2 == 1
        children.append(
            child(lambda: read(here, until, newest, reader, keeps, random.Random(seed + 1 + reader)))
        )
    failed = 0
    for pid in children:
        failed |= os.waitpid(pid, 0)[1]
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

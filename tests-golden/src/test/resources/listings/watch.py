"""Listings of a directory which another machine changes, while several processes read it.

usage: watch.py <directory, on the mount that changes> <the same, on the mount that reads> <seconds> <seed> open|hidden

The directory holds many names that stay, and one that says how often it has been changed: v<k>. A rename makes
k one more; `count` beside the directory is written afterwards. With `hidden` the directory's
mtime is set back to the same value after each change, so that it says nothing.

Whoever has read k in `count`, or in a listing, on the reading mount, must find no older one there, in a listing that
begins afterwards, and each name once.
"""

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
        time.sleep(random.choice([0, 0, 0.001, 0.005, 0.05]))
    return k


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
    kept = os.open(directory, os.O_RDONLY | os.O_DIRECTORY) if keeps else None
    listings = 0
    while time.monotonic() < until:
        if random.random() < 0.5:
            with open(os.path.join(here, "count"), "rb") as file:
                newest.seen(reader, int(file.read()))
        floor = newest.get()
        if kept is None:
            names = os.listdir(directory)
        else:
            names = os.listdir(kept)
            os.lseek(kept, 0, os.SEEK_SET)
        k = versions(names, "reader %d, listing %d" % (reader, listings))
        if k < floor:
            raise AssertionError(
                "reader %d, listing %d: v%d, although v%d was seen before" % (reader, listings, k, floor)
            )
        newest.seen(reader, k)
        listings += 1
        time.sleep(random.choice([0, 0, 0, 0.002]))
    return listings


def child(work):
    """Runs it in a process of its own; ends with 1 if it raises."""
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            print(work(), flush=True)
            status = 0
        except BaseException as failure:  # also of a test that is stopped
            print(repr(failure), flush=True)
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
    for reader in range(READERS):
        # A handle that was open before the mtime was set back knows the directory by its mtime alone.
        keeps = reader % 2 == 1 and not hide
        children.append(
            child(lambda: read(here, until, newest, reader, keeps, random.Random(seed + 1 + reader)))
        )
    failed = 0
    for pid in children:
        failed |= os.waitpid(pid, 0)[1]
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

"""What inotify on one mount reports of calls made through another: cases.py CASE A B."""

import ctypes
import os
import sys
import threading
import time

from watch import ATTRIB, CREATE, DELETE, LIMIT_S, MODIFY, Watcher

# Longer than two looks for watches: what was done before is not reported.
QUIET_S = 1.5


def until(what, condition):
    limit = time.monotonic() + LIMIT_S
    while not condition():
        if time.monotonic() > limit:
            raise AssertionError("not in time: " + what)
        time.sleep(0.02)


def put(path, data=b"x"):
    with open(path, "wb") as f:
        f.write(data)


def folders(a, b, case, *names):
    """Folders made through a, and how both mounts call them."""
    top = "inotify-" + case
    os.mkdir(os.path.join(a, top))
    for name in names:
        os.mkdir(os.path.join(a, top, name))
    until("folders on b", lambda: all(os.path.isdir(os.path.join(b, top, n)) for n in names))
    return os.path.join(a, top), os.path.join(b, top)


def settled(b, *names):
    until("files on b", lambda: all(os.path.lexists(os.path.join(b, n)) for n in names))
    time.sleep(QUIET_S)


def names(a, b):
    """Each way to make and take away a name."""
    a, b = folders(a, b, "names", "w")
    put(a + "/target")
    settled(b, "target")
    w = Watcher()
    w.add(b + "/w", "w")
    put(a + "/w/file", b"")
    os.mkdir(a + "/w/folder")
    os.symlink("nowhere", a + "/w/symlink")
    os.link(a + "/target", a + "/w/link")
    os.mkfifo(a + "/w/fifo")
    os.unlink(a + "/w/file")
    os.unlink(a + "/w/link")
    os.unlink(a + "/w/symlink")
    os.rmdir(a + "/w/folder")
    w.expect(
        "w CREATE file",
        "w CREATE dir folder",
        "w CREATE symlink",
        "w CREATE link",
        "w CREATE fifo",
        "w DELETE file",
        "w DELETE link",
        "w DELETE symlink",
        "w DELETE dir folder",
    )
    assert sorted(os.listdir(b + "/w")) == ["fifo"]
    assert os.stat(b + "/target").st_nlink == 1


def moves(a, b):
    """Renames within, across, into and out of watched directories, and exchanges."""
    a, b = folders(a, b, "moves", "one", "two", "unwatched")
    put(a + "/one/f")
    os.mkdir(a + "/one/d")
    put(a + "/one/over")
    put(a + "/unwatched/out")
    settled(b, "one/f", "one/d", "one/over", "unwatched/out")
    w = Watcher()
    w.add(b + "/one", "one")
    w.add(b + "/two", "two")
    os.rename(a + "/one/f", a + "/one/g")
    os.rename(a + "/one/g", a + "/two/f")
    os.rename(a + "/one/d", a + "/two/d")
    os.rename(a + "/two/f", a + "/one/over")
    os.rename(a + "/unwatched/out", a + "/one/in")
    os.rename(a + "/one/in", a + "/unwatched/out")
    exchange(a + "/one/over", a + "/two/d")
    w.expect(
        "one MOVED_FROM f",
        "one MOVED_TO g",
        "one MOVED_FROM g",
        "two MOVED_TO f",
        "one MOVED_FROM dir d",
        "two MOVED_TO dir d",
        "two MOVED_FROM f",
        "one MOVED_TO over",
        "one MOVED_TO in",
        "one MOVED_FROM in",
        "one MOVED_FROM over",
        "two MOVED_TO d",
        "two MOVED_FROM dir d",
        "one MOVED_TO dir over",
    )
    c = w.cookies
    pairs = [c[0] == c[1], c[2] == c[3], c[4] == c[5], c[6] == c[7], c[10] == c[11], c[12] == c[13]]
    assert all(pairs), c
    assert len(set(c)) == 8, c
    assert os.path.isdir(b + "/one/over") and os.path.isfile(b + "/two/d")
    put(b + "/one/over/new")


def exchange(one, other):
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.renameat2(-100, os.fsencode(one), -100, os.fsencode(other), 2) != 0:
        raise OSError(ctypes.get_errno(), one)


def contents(a, b):
    """Writes and attributes, in a watched directory and of a watched file: once for both."""
    a, b = folders(a, b, "contents", "w")
    put(a + "/w/f")
    os.mkdir(a + "/w/d")
    settled(b, "w/f", "w/d")
    w = Watcher()
    w.add(b + "/w", "w")
    with open(a + "/w/f", "ab") as f:
        f.write(b"more")
    w.expect("w MODIFY f")
    os.truncate(a + "/w/f", 1)
    w.expect("w MODIFY f")
    os.chmod(a + "/w/f", 0o600)
    w.expect("w ATTRIB f")
    os.setxattr(a + "/w/f", "user.x", b"y")
    w.expect("w ATTRIB f")
    os.chmod(a + "/w/d", 0o700)
    w.expect("w ATTRIB dir d")
    assert os.stat(b + "/w/f").st_mode & 0o777 == 0o600
    w.add(b + "/w/f", "f")
    with open(a + "/w/f", "ab") as f:
        f.write(b"again")
    # The kernel tells the directory first.
    w.expect("w MODIFY f", "f MODIFY")
    with open(b + "/w/f", "rb") as f:
        assert f.read() == b"xagain"


def itself(a, b):
    """Files and directories that are watched themselves, and are moved and removed."""
    a, b = folders(a, b, "itself", "w")
    put(a + "/w/f")
    put(a + "/w/g")
    put(a + "/w/h")
    os.mkdir(a + "/w/d")
    settled(b, "w/f", "w/g", "w/d", "w/h")
    w = Watcher()
    w.add(b + "/w/f", "f")
    w.add(b + "/w/g", "g")
    w.add(b + "/w/h", "h")
    w.add(b + "/w/d", "d")
    os.chmod(a + "/w/f", 0o640)
    w.expect("f ATTRIB")
    os.rename(a + "/w/f", a + "/w/f2")
    w.expect("f MOVE_SELF")
    os.unlink(a + "/w/f2")
    w.expect("f ATTRIB", "f DELETE_SELF", "f IGNORED")
    os.rename(a + "/w/g", a + "/w/h")
    w.expect("h ATTRIB", "g MOVE_SELF", "h DELETE_SELF", "h IGNORED")
    os.rmdir(a + "/w/d")
    w.expect("d DELETE_SELF", "d IGNORED")
    assert os.listdir(b + "/w") == ["h"]


def follow(a, b):
    """A follower that watches the file itself and reads on when it hears of it."""
    a, b = folders(a, b, "follow")
    put(a + "/log", b"first\n")
    settled(b, "log")
    w = Watcher()
    w.add(b + "/log", "log", MODIFY)
    with open(b + "/log", "rb") as log:
        assert log.readline() == b"first\n"
        for i in range(20):
            with open(a + "/log", "ab") as f:
                f.write(b"line %d\n" % i)
            assert w.read(LIMIT_S) == ["log MODIFY"], i
            assert log.readline() == b"line %d\n" % i
    assert w.read(1.0) == []


def masks(a, b):
    """Only what somebody asked for; a watch that grows; one that is removed."""
    a, b = folders(a, b, "masks", "w")
    settled(b, "w")
    w = Watcher()
    w.add(b + "/w", "w", CREATE)
    put(a + "/w/f")
    os.unlink(a + "/w/f")
    w.expect("w CREATE f")
    wd = w.add(b + "/w", "w", CREATE | DELETE)
    put(a + "/w/f")
    os.unlink(a + "/w/f")
    w.expect("w CREATE f", "w DELETE f")
    w.remove(wd)
    put(a + "/w/f")
    w.expect("w IGNORED")


def fast(a, b):
    """A thousand calls in log order, once each, while the caches here are as warm as they get."""
    a, b = folders(a, b, "fast", "w", "v")
    settled(b, "w", "v")
    w = Watcher()
    w.add(b + "/w", "w", ~(MODIFY | ATTRIB | 0x39) & 0xFFF)
    over = threading.Event()

    def look():
        while not over.is_set():
            for folder in (b + "/w", b + "/v"):
                try:
                    for entry in os.scandir(folder):
                        entry.stat(follow_symlinks=False)
                    os.lstat(folder + "/n%d" % (time.monotonic_ns() % 10))
                    os.listdir(folder + "/n%d" % (time.monotonic_ns() % 10))
                except OSError:
                    pass

    lookers = [threading.Thread(target=look) for _ in range(3)]
    for looker in lookers:
        looker.start()
    expected = []
    try:
        kinds = {}
        seed = 1
        while len(expected) < 1000:
            seed = (seed * 1103515245 + 12345) % (1 << 31)
            name = "n%d" % (seed // 7 % 10)
            other = "n%d" % (seed // 101 % 10)
            path = a + "/w/" + name
            kind = kinds.get(name)
            if kind is None:
                kinds[name] = ("file", "dir", "link")[seed // 1009 % 3]
                if kinds[name] == "dir":
                    os.mkdir(path)
                elif kinds[name] == "file":
                    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
                else:
                    os.symlink("x", path)
                expected.append(said("CREATE", kinds[name], name))
            elif seed // 31 % 3 == 0:
                (os.rmdir if kind == "dir" else os.unlink)(path)
                del kinds[name]
                expected.append(said("DELETE", kind, name))
            elif seed // 31 % 3 == 1 and other not in kinds:
                os.rename(path, a + "/w/" + other)
                kinds[other] = kinds.pop(name)
                expected.append(said("MOVED_FROM", kind, name))
                expected.append(said("MOVED_TO", kind, other))
            elif seed // 31 % 3 == 2:
                os.rename(path, a + "/v/aside")
                os.rename(a + "/v/aside", path)
                expected.append(said("MOVED_FROM", kind, name))
                expected.append(said("MOVED_TO", kind, name))
        heard = []
        limit = time.monotonic() + 2 * LIMIT_S
        while len(heard) < len(expected) and time.monotonic() < limit:
            heard += w.read(0.5)
        heard += w.read(1.0)
    finally:
        over.set()
        for looker in lookers:
            looker.join()
    for at, (one, other) in enumerate(zip(expected, heard)):
        assert one == other, (at, expected[at : at + 8], heard[at : at + 8])
    assert len(heard) == len(expected), (len(heard), heard[len(expected) :], len(expected))
    intact(a, b, kinds)


def said(event, kind, name):
    return "w %s %s%s" % (event, "dir " if kind == "dir" else "", name)


def intact(a, b, kinds):
    """Both mounts show the same, and every inode that is left can be used."""
    for mount in (a, b):
        assert sorted(os.listdir(mount + "/w")) == sorted(kinds), mount
    for name, kind in kinds.items():
        path = b + "/w/" + name
        if kind == "dir":
            put(path + "/new")
            assert os.listdir(path) == ["new"]
        elif kind == "file":
            put(path, name.encode())
            with open(path, "rb") as f:
                assert f.read() == name.encode()
        else:
            assert os.readlink(path) == "x"
    put(b + "/w/last")


def late(a, b):
    """Nothing is lost between a watch and the worker's learning of it."""
    a, b = folders(a, b, "late", "w")
    for round in range(20):
        w = Watcher()
        w.add(b + "/w", "w", CREATE)
        put(a + "/w/n%d" % round)
        limit = time.monotonic() + LIMIT_S
        heard = []
        while "w CREATE n%d" % round not in heard and time.monotonic() < limit:
            heard += w.read(0.2)
        assert heard[-1:] == ["w CREATE n%d" % round], heard
        os.close(w.fd)
        time.sleep(0.05 * (round % 7))


CASES = {
    f.__name__: f
    for f in (names, moves, contents, itself, follow, masks, fast, late)
}

if __name__ == "__main__":
    CASES[sys.argv[1]](sys.argv[2], sys.argv[3])

"""What POSIX and Linux say, tried on a mount in an empty directory: `cases.py` lists.

`cases.py NAME OTHER` runs one; OTHER is the same directory, seen through another mount.
"""

import errno
import fcntl
import mmap
import os
import socket
import stat
import sys
import threading
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from calls import *

USER = 12345
OTHER = sys.argv[2] if len(sys.argv) > 2 else "."


def fallocate_of_every_mode():
    rows = [
        # mode, offset, length, size after, content after
        (0, 2, 4, 10, b"0123456789"),
        (0, 8, 4, 12, b"0123456789\0\0"),
        (KEEP_SIZE, 8, 4, 10, b"0123456789"),
        (PUNCH_HOLE | KEEP_SIZE, 2, 3, 10, b"01\0\0\x0056789"),
        (PUNCH_HOLE | KEEP_SIZE, 8, 9, 10, b"01234567\0\0"),
        (ZERO_RANGE, 8, 4, 12, b"01234567\0\0\0\0"),
        (ZERO_RANGE | KEEP_SIZE, 8, 4, 10, b"01234567\0\0"),
    ]
    for number, (how, offset, length, size, expected) in enumerate(rows):
        name = f"f{number}"
        make(name, b"0123456789")
        before = os.stat(name)
        fd = os.open(name, os.O_RDWR)
        fallocate(fd, how, offset, length)
        equal(size, os.fstat(fd).st_size, f"size in row {number}")
        equal(expected, os.pread(fd, 100, 0), f"content in row {number}")
        os.close(fd)
        after = os.stat(name)
        assert after.st_mtime_ns > before.st_mtime_ns, f"mtime in row {number}"
        assert after.st_ctime_ns > before.st_ctime_ns, f"ctime in row {number}"


def fallocate_refused():
    make("f", b"0123456789")
    fd = os.open("f", os.O_RDWR)
    for how in (COLLAPSE, INSERT, UNSHARE, PUNCH_HOLE, 1 << 20):
        fails("EOPNOTSUPP", fallocate, fd, how, 0, 4096)
    fails("EINVAL", fallocate, fd, 0, 0, 0)
    fails("EINVAL", fallocate, fd, 0, -1, 1)
    fails("EINVAL", fallocate, fd, 0, 0, -1)
    fails("EFBIG", fallocate, fd, 0, 2**63 - 1, 1)
    equal(10, os.fstat(fd).st_size)
    fails("EBADF", fallocate, os.open("f", os.O_RDONLY), 0, 0, 1)
    os.mkfifo("p")
    fails("ESPIPE", fallocate, os.open("p", os.O_RDWR), 0, 0, 1)
    os.mknod("null", stat.S_IFCHR | 0o600, os.makedev(1, 3))
    fails("ENODEV", fallocate, os.open("null", os.O_RDWR), 0, 0, 1)


def copy_file_range_of_a_sparse_file():
    source = os.open("source", os.O_CREAT | os.O_RDWR)
    os.pwrite(source, b"begin", 0)
    os.pwrite(source, b"end", 1 << 20)
    target = os.open("target", os.O_CREAT | os.O_RDWR)
    os.pwrite(target, b"x" * 100, 0)
    length = os.fstat(source).st_size
    equal(length, os.copy_file_range(source, target, length, 0, 0), "bytes copied")
    equal(content("source"), content("target"), "content")
    equal(os.fstat(source).st_blocks, os.fstat(target).st_blocks, "blocks: holes are holes")
    equal(0, os.copy_file_range(source, target, 10, length, 0), "at the end")
    equal(0, os.copy_file_range(source, target, 10, length + 1, 0), "after the end")
    equal(3, os.copy_file_range(source, target, 1 << 30, length - 3, 1), "up to the end")
    equal(b"bendn\0", os.pread(target, 6, 0), "a copy over data")
    fails("EINVAL", os.copy_file_range, source, source, 10, 0, 5)
    equal(3, os.copy_file_range(source, source, 3, 1 << 20, 0), "within a file")
    equal(b"endin", os.pread(source, 5, 0))
    fails("EBADF", os.copy_file_range, source, os.open("target", os.O_RDONLY), 1, 0, 0)
    fails("EISDIR", os.copy_file_range, os.open(".", os.O_RDONLY), target, 1, 0, 0)


def reflinks_are_refused():
    make("f", b"text")
    to = os.open("g", os.O_CREAT | os.O_RDWR)
    ficlone = 0x40049409
    fails("EOPNOTSUPP", fcntl.ioctl, to, ficlone, os.open("f", os.O_RDONLY))


def what_is_not_supported_says_so():
    """hypersync.md 6.1.1: ENOTSUP where the kernel asks the filesystem, and its own word elsewhere."""
    make("f", b"text")
    fd = os.open("f", os.O_RDWR)
    other = os.open("g", os.O_CREAT | os.O_RDWR)
    enable_verity, measure_verity, read_verity = 0x40806685, 0xC0046686, 0xC0286687
    clone, clone_range, fiemap, secure_erase = 0x40049409, 0x4020940D, 0xC020660B, 0x127D
    rows = [
        ("EOPNOTSUPP", fallocate, fd, COLLAPSE, 0, 4096),
        ("EOPNOTSUPP", fallocate, fd, INSERT, 0, 4096),
        ("EOPNOTSUPP", fallocate, fd, UNSHARE, 0, 4096),
        ("EOPNOTSUPP", renameat2, "f", "h", WHITEOUT),
        ("EOPNOTSUPP", fcntl.ioctl, other, clone, fd),
        ("EOPNOTSUPP", fcntl.ioctl, other, clone_range, struct.pack("=4q", fd, 0, 0, 0)),
        ("EOPNOTSUPP", fcntl.ioctl, fd, fiemap, bytearray(32)),
        ("EOPNOTSUPP", fcntl.ioctl, fd, enable_verity, bytearray(128)),
        ("EOPNOTSUPP", fcntl.ioctl, fd, measure_verity, bytearray(4)),
        ("EOPNOTSUPP", fcntl.ioctl, fd, read_verity, bytearray(40)),
        ("EOPNOTSUPP", os.setxattr, "f", "system.posix_acl_access", bytes(4)),
        ("EOPNOTSUPP", os.setxattr, "f", "other.name", b"v"),
        ("EOPNOTSUPP", os.getxattr, "f", "other.name"),
        ("EOPNOTSUPP", os.removexattr, "f", "other.name"),
        # What every filesystem says of an ioctl that it has not: isatty relies on it.
        ("ENOTTY", fcntl.ioctl, fd, secure_erase),
        ("ENOTTY", fcntl.ioctl, fd, 0x5401, bytearray(64)),
        # No such flags: the kernel says so itself, of every filesystem.
        ("EINVAL", renameat2, "f", "h", 8),
        ("EINVAL", os.lseek, fd, 0, 99),
    ]
    for code, call, *arguments in rows:
        fails(code, call, *arguments)
    equal(b"text", content("f"))
    equal(["f", "g"], sorted(os.listdir(".")))


def seek_to_data_and_holes():
    fd = os.open("f", os.O_CREAT | os.O_RDWR)
    os.pwrite(fd, b"a" * 4096, 8192)
    os.ftruncate(fd, 20480)
    for offset, data, hole in ((0, 8192, 0), (8191, 8192, 8191), (8192, 8192, 12288), (9000, 9000, 12288)):
        equal(data, os.lseek(fd, offset, os.SEEK_DATA), f"data from {offset}")
        equal(hole, os.lseek(fd, offset, os.SEEK_HOLE), f"a hole from {offset}")
    fails("ENXIO", os.lseek, fd, 12288, os.SEEK_DATA)
    equal(12288, os.lseek(fd, 12288, os.SEEK_HOLE))
    for whence in (os.SEEK_DATA, os.SEEK_HOLE):
        fails("ENXIO", os.lseek, fd, 20480, whence)
        fails("ENXIO", os.lseek, fd, -1, whence)
    os.pwrite(fd, b"z" * 4096, 16384)
    equal(20480, os.lseek(fd, 16384, os.SEEK_HOLE), "the end is a hole")


def tmpfile_and_its_first_name():
    before = os.stat(".")
    fd = os.open(".", os.O_TMPFILE | os.O_RDWR, 0o640)
    equal(0, os.fstat(fd).st_nlink)
    equal([], os.listdir("."))
    equal(before.st_mtime_ns, os.stat(".").st_mtime_ns, "mtime of the directory")
    os.write(fd, b"unseen")
    born = os.fstat(fd).st_ctime_ns
    first_name(fd, "f")
    equal(b"unseen", content("f"))
    equal((1, 0o640), (os.stat("f").st_nlink, mode("f")))
    assert os.stat("f").st_ctime_ns > born, "ctime of the link"
    assert statx("f")[1] < born, "the time of birth is the time of open"
    os.link("f", "g")
    os.unlink("f")
    os.unlink("g")
    fails("ENOENT", first_name, fd, "h")
    never = os.open(".", os.O_TMPFILE | os.O_EXCL | os.O_RDWR, 0o600)
    fails("ENOENT", first_name, never, "h")
    taken = os.open(".", os.O_TMPFILE | os.O_WRONLY, 0o600)
    make("taken")
    fails("EEXIST", first_name, taken, "taken")
    first_name(taken, "free")
    os.mkdir("group", 0o755)
    os.chown("group", 0, USER)
    os.chmod("group", 0o2755)
    equal(USER, os.fstat(os.open("group", os.O_TMPFILE | os.O_RDWR, 0o600)).st_gid, "group")
    fails("ENOTDIR", os.open, "taken", os.O_TMPFILE | os.O_RDWR, 0o600)


def an_unnamed_file_and_the_other_mount():
    fd = os.open(".", os.O_TMPFILE | os.O_RDWR, 0o640)
    os.write(fd, b"unseen")
    equal([], os.listdir(OTHER))
    first_name(fd, "f")
    soon(["f"], lambda: os.listdir(OTHER), "its first name")
    equal(b"unseen", content(f"{OTHER}/f"))
    equal((1, 0o640), (os.stat(f"{OTHER}/f").st_nlink, mode(f"{OTHER}/f")))
    os.write(fd, b" and seen")
    soon(b"unseen and seen", lambda: content(f"{OTHER}/f"), "what is written later")
    os.link(f"{OTHER}/f", f"{OTHER}/g")
    soon(2, lambda: os.fstat(fd).st_nlink, "links")
    os.unlink(f"{OTHER}/f")
    os.unlink(f"{OTHER}/g")
    soon(0, lambda: os.fstat(fd).st_nlink, "links")
    equal(b"unseen and seen", os.pread(fd, 100, 0), "the other has unlinked it")
    fails("ENOENT", first_name, fd, "h")


def statx_with_btime():
    make("f", b"text")
    mask, born, changed = statx("f")
    equal(0xFFF, mask & 0xFFF, "mask: all basic fields and the time of birth")
    assert born <= changed
    os.chmod("f", 0o600)
    os.utime("f", (1, 1))
    os.rename("f", "g")
    equal(born, statx("g")[1], "the time of birth stays")
    assert statx("g")[2] > changed


def set_ids_are_cleared_by_others():
    def write(name):
        fd = os.open(name, os.O_RDWR)
        os.write(fd, b"x")

    def truncate(name):
        os.truncate(name, 1)

    def truncate_fd(name):
        os.ftruncate(os.open(name, os.O_RDWR), 3)

    def open_truncates(name):
        os.open(name, os.O_RDWR | os.O_TRUNC)

    def allocate(name):
        fallocate(os.open(name, os.O_RDWR), 0, 0, 100)

    def copy(name):
        os.copy_file_range(os.open("source", os.O_RDONLY), os.open(name, os.O_RDWR), 4, 0, 0)

    make("source", b"text")
    for number, change in enumerate((write, truncate, truncate_fd, open_truncates, allocate, copy)):
        for bits, left in ((0o6777, 0o777), (0o2767, 0o2767)):
            name = f"f{number}-{bits:o}"
            make(name, b"0123456789", bits)
            change(name)
            equal(bits, mode(name), f"{change.__name__} by root of {bits:o}")
            equal(0, as_user(USER, change, name), change.__name__)
            equal(left, mode(name), f"{change.__name__} by another of {bits:o}")


def set_ids_and_chown():
    for bits, left in ((0o6755, 0o755), (0o2745, 0o2745), (0o4644, 0o644)):
        name = f"{bits:o}"
        make(name)
        os.chmod(name, bits)
        os.chown(name, USER, -1)
        equal(left, mode(name), f"chown of {bits:o}")
    os.mkdir("d")
    os.chmod("d", 0o6755)
    os.chown("d", USER, USER)
    equal(0o6755, mode("d"), "chown of a directory")
    make("f")
    os.chown("f", USER, 0)
    equal(0, as_user(USER, os.chmod, "f", 0o2755))
    equal(0o755, mode("f"), "set-group-id for a group that is not one's own")


def set_group_id_directories_hand_down():
    os.mkdir("d")
    os.chown("d", 0, USER)
    os.chmod("d", 0o2777)
    make("d/f")
    os.mkdir("d/sub", 0o755)
    os.symlink("x", "d/link")
    os.mkfifo("d/p")
    for name in ("f", "sub", "link", "p"):
        equal(USER, os.lstat("d/" + name).st_gid, name)
    equal((0o644, 0o2755), (mode("d/f"), mode("d/sub")))


def sticky_directories():
    os.mkdir("d")
    os.chmod("d", 0o1777)
    make("d/f")
    os.chmod("d/f", 0o666)
    equal(errno.EPERM, as_user(USER, os.unlink, "d/f"))
    equal(errno.EPERM, as_user(USER, os.rename, "d/f", "d/g"))
    equal(0, as_user(USER, make, "d/own"))
    equal(errno.EPERM, as_user(USER, os.rename, "d/own", "d/f"))
    equal(errno.EPERM, as_user(USER + 1, os.unlink, "d/own"))
    equal(0, as_user(USER, os.unlink, "d/own"))


def umask_applies_once():
    os.umask(0o027)
    os.close(os.open("f", os.O_CREAT | os.O_RDWR, 0o666))
    os.mkdir("d", 0o777)
    os.mkfifo("p", 0o666)
    fd = os.open(".", os.O_TMPFILE | os.O_RDWR, 0o666)
    equal([0o640, 0o750, 0o640], [mode(name) for name in ("f", "d", "p")])
    equal(0o640, os.fstat(fd).st_mode & 0o7777, "O_TMPFILE")
    fails("EOPNOTSUPP", os.getxattr, "d", "system.posix_acl_default")


def links_of_directories():
    equal(2, os.stat(".").st_nlink)
    os.mkdir("a")
    os.mkdir("b")
    os.mkdir("a/c")
    equal([4, 3, 2], [os.stat(name).st_nlink for name in (".", "a", "b")])
    os.rename("a/c", "b/c")
    equal([4, 2, 3], [os.stat(name).st_nlink for name in (".", "a", "b")])
    make("f")
    renameat2("f", "b/c", EXCHANGE)
    equal([5, 2], [os.stat(name).st_nlink for name in (".", "b")])
    fd = os.open("a", os.O_RDONLY)
    os.rmdir("a")
    equal([4, 0], [os.stat(".").st_nlink, os.fstat(fd).st_nlink])


def times_of_every_call():
    """For each call: which of the names get a new mtime (m) and a new ctime (c)."""
    make("f", b"0123456789")
    make("old", b"x")
    os.mkdir("d")
    os.mkdir("e")
    fd = os.open("f", os.O_RDWR)
    rows = [
        ("write", lambda: os.write(fd, b"x"), {"f": "mc"}),
        ("write of nothing", lambda: os.write(fd, b""), {}),
        ("truncate to the same size", lambda: os.truncate("f", 10), {"f": "mc"}),
        ("ftruncate to the same size", lambda: os.ftruncate(fd, 10), {"f": "mc"}),
        ("truncate", lambda: os.truncate("f", 3), {"f": "mc"}),
        ("open with O_TRUNC", lambda: os.open("f", os.O_RDWR | os.O_TRUNC), {"f": "mc"}),
        ("open", lambda: os.open("f", os.O_RDWR), {}),
        ("read", lambda: os.pread(fd, 1, 0), {}),
        ("chmod", lambda: os.chmod("f", 0o600), {"f": "c"}),
        ("chown", lambda: os.chown("f", 1, 1), {"f": "c"}),
        ("chown to nobody new", lambda: os.chown("f", -1, -1), {"f": "c"}),
        ("utimensat of mtime", lambda: os.utime("f", ns=(5, 5)), {"f": "mc"}),
        ("setxattr", lambda: os.setxattr("f", "user.a", b"v"), {"f": "c"}),
        ("removexattr", lambda: os.removexattr("f", "user.a"), {"f": "c"}),
        ("link", lambda: os.link("f", "d/g"), {"f": "c", "d": "mc"}),
        ("rename", lambda: os.rename("f", "e/f"), {"f": "c", ".": "mc", "e": "mc"}),
        ("rename back", lambda: os.rename("e/f", "f"), {"f": "c", ".": "mc", "e": "mc"}),
        ("rename onto itself", lambda: os.rename("f", "d/g"), {}),
        ("rename over another", lambda: os.rename("old", "d/g"), {"f": "c", ".": "mc", "d": "mc"}),
        ("unlink", lambda: os.unlink("d/g"), {"d": "mc"}),
        ("create", lambda: make("d/new"), {"d": "mc"}),
        ("mkdir", lambda: os.mkdir("d/sub"), {"d": "mc"}),
        ("symlink", lambda: os.symlink("x", "d/link"), {"d": "mc"}),
        ("rmdir", lambda: os.rmdir("d/sub"), {"d": "mc"}),
        ("readdir", lambda: os.listdir("d"), {}),
    ]
    for what, call, expected in rows:
        before = {name: times(name, fd) for name in (".", "f", "d", "e")}
        call()
        found = {}
        for name, (mtime, ctime) in before.items():
            after = times(name, fd)
            letters = ("m" if after[0] != mtime else "") + ("c" if after[1] != ctime else "")
            if letters:
                found[name] = letters
        equal(expected, found, what)


def times(name, fd):
    found = os.fstat(fd) if name == "f" else os.stat(name)
    return found.st_mtime_ns, found.st_ctime_ns


def access_times_that_were_set():
    make("f")
    os.utime("f", ns=(1_000_000_007, 2_000_000_009))
    equal((1_000_000_007, 2_000_000_009), (os.stat("f").st_atime_ns, os.stat("f").st_mtime_ns))
    os.utime("f", ns=(2**32 * 10**9, 2**33 * 10**9))
    equal((2**32, 2**33), (os.stat("f").st_atime, os.stat("f").st_mtime))
    os.utime("f")
    assert abs(os.stat("f").st_atime - time.time()) < 60


def names_and_links_that_are_refused():
    fails("ENAMETOOLONG", os.mkdir, "n" * 256)
    fails("ENAMETOOLONG", os.stat, "n" * 256)
    make("f")
    fails("ENAMETOOLONG", os.rename, "f", "n" * 256)
    fails("ENAMETOOLONG", os.link, "f", "n" * 256)
    fails("ENAMETOOLONG", os.symlink, "t" * 4096, "link")
    os.symlink("t" * 4095, "link")
    equal("t" * 4095, os.readlink("link"))
    fails("ENAMETOOLONG", os.stat, "link")
    os.symlink("loop", "loop")
    os.symlink("two", "one")
    os.symlink("one", "two")
    for name in ("loop", "one", "loop/x"):
        fails("ELOOP", os.stat, name)
    fails("ELOOP", os.open, "link", os.O_RDONLY | os.O_NOFOLLOW)
    os.mkdir("d")
    make("d/f")
    fails("ENOTEMPTY", os.rmdir, "d")
    fails("EINVAL", os.rmdir, "d/.")
    fails("ENOTEMPTY", os.rmdir, "d/..")
    fails("EXDEV", os.rename, "f", f"/tmp/posix-{os.getpid()}")
    fails("EXDEV", os.link, "f", f"/tmp/posix-{os.getpid()}")
    fails("EPERM", os.link, "d", "hard")
    fails("EINVAL", os.rename, "d", "d/below")


def long_paths_and_many_links():
    make("f")
    os.stat("./" * 2047 + "f")
    fails("ENAMETOOLONG", os.stat, "./" * 2047 + "/f")
    os.symlink("f", "l1")
    for number in range(2, 42):
        os.symlink(f"l{number - 1}", f"l{number}")
    os.stat("l40")
    fails("ELOOP", os.stat, "l41")
    os.lstat("l41")
    fails("ELOOP", os.rename, "l41/x", "y")
    fails("ENOTDIR", os.rename, "l40/x", "y")


def what_a_rename_may_replace():
    rows = [
        ("file", "nothing", None),
        ("file", "file", None),
        ("file", "symlink", None),
        ("file", "fifo", None),
        ("file", "empty", "EISDIR"),
        ("file", "full", "EISDIR"),
        ("symlink", "file", None),
        ("symlink", "empty", "EISDIR"),
        ("fifo", "file", None),
        ("empty", "nothing", None),
        ("empty", "file", "ENOTDIR"),
        ("empty", "symlink", "ENOTDIR"),
        ("empty", "empty", None),
        ("empty", "full", "ENOTEMPTY"),
        ("full", "nothing", None),
        ("full", "fifo", "ENOTDIR"),
        ("full", "empty", None),
        ("full", "full", "ENOTEMPTY"),
        ("nothing", "file", "ENOENT"),
        ("nothing", "nothing", "ENOENT"),
    ]
    for number, (old, new, code) in enumerate(rows):
        what = f"{old} over {new}"
        source, target = put(old, f"old{number}"), put(new, f"new{number}")
        if code:
            fails(code, os.rename, source, target)
            equal((old != "nothing", new != "nothing"), (os.path.lexists(source), os.path.lexists(target)), what)
        else:
            inode = os.lstat(source).st_ino
            os.rename(source, target)
            equal((False, inode), (os.path.lexists(source), os.lstat(target).st_ino), what)
    put("full", "up")
    fails("EINVAL", os.rename, "up", "up/inside/below")
    fails("ENOTEMPTY", os.rename, "up/inside", "up")
    fails("EBUSY", os.rename, ".", "x")
    fails("EBUSY", os.rename, "up", "up/..")


def put(kind, name):
    """Something of this kind, with this name."""
    if kind == "file":
        make(name)
    elif kind == "symlink":
        os.symlink("nowhere", name)
    elif kind == "fifo":
        os.mkfifo(name)
    elif kind in ("empty", "full"):
        os.mkdir(name)
        if kind == "full":
            os.mkdir(f"{name}/inside")
    return name


def slashes_at_the_end_and_dots():
    make("f")
    os.mkdir("d/")
    os.symlink("d", "to-d")
    os.symlink("f", "to-f")
    rows = [
        ("ENOTDIR", os.stat, "f/"),
        ("ENOTDIR", os.lstat, "to-f/"),
        ("EISDIR", os.open, "new/", os.O_CREAT | os.O_WRONLY),
        ("ENOTDIR", os.open, "f/", os.O_RDONLY),
        ("ENOTDIR", os.unlink, "f/"),
        ("EISDIR", os.unlink, "d/"),
        ("ENOTDIR", os.rename, "f", "g/"),
        ("ENOTDIR", os.rmdir, "to-d/"),
        ("ENOENT", os.link, "f", "g/"),
        ("ENOENT", os.symlink, "f", "g/"),
        ("EINVAL", os.readlink, "to-d/"),
        ("EEXIST", os.mkdir, "to-f"),
        ("EEXIST", os.mkdir, "."),
        ("EEXIST", os.symlink, "x", ".."),
        ("EEXIST", os.link, "f", "."),
        ("EISDIR", os.unlink, "."),
        ("EISDIR", os.unlink, ".."),
        ("EINVAL", os.rmdir, "."),
        ("ENOTEMPTY", os.rmdir, ".."),
        ("ENOENT", os.mkdir, ""),
        ("ENOENT", os.stat, ""),
    ]
    for code, call, *arguments in rows:
        fails(code, call, *arguments)
    assert stat.S_ISDIR(os.lstat("to-d/").st_mode)
    os.rename("d", "e/")
    os.rmdir("e/")
    equal(["f", "to-d", "to-f"], sorted(os.listdir(".")))


def open_of_what_is_not_a_file():
    os.mkdir("d")
    os.symlink("made", "to-nothing")
    os.symlink("d", "to-d")
    os.mkfifo("p")
    make("f")
    rows = [
        ("EEXIST", "to-nothing", os.O_CREAT | os.O_EXCL | os.O_WRONLY),
        ("ELOOP", "to-nothing", os.O_CREAT | os.O_NOFOLLOW | os.O_WRONLY),
        ("ENOENT", "to-nothing", os.O_RDONLY),
        ("EISDIR", "d", os.O_WRONLY),
        ("EISDIR", "d", os.O_RDONLY | os.O_CREAT),
        ("EISDIR", "to-d", os.O_RDWR),
        ("EEXIST", "d", os.O_RDONLY | os.O_CREAT | os.O_EXCL),
        ("ENOTDIR", "f", os.O_DIRECTORY),
        ("ENOTDIR", "to-d", os.O_DIRECTORY | os.O_NOFOLLOW),
        ("ENXIO", "p", os.O_WRONLY | os.O_NONBLOCK),
    ]
    for code, name, flags in rows:
        fails(code, os.open, name, flags)
    os.close(os.open("to-nothing", os.O_CREAT | os.O_WRONLY))
    assert stat.S_ISREG(os.lstat("made").st_mode), "created through the link"
    fd = os.open("f", os.O_PATH)
    fails("EBADF", os.read, fd, 1)
    equal(os.stat("f").st_ino, os.fstat(fd).st_ino)


def xattr_limits():
    make("f")
    os.setxattr("f", "user.z", b"")
    os.setxattr("f", "user.B", b"v" * 65536)
    os.setxattr("f", "user.a", b"v")
    os.setxattr("f", "trusted.t", b"v")
    os.setxattr("f", "security.s", b"v")
    equal(["security.s", "trusted.t", "user.B", "user.a", "user.z"], os.listxattr("f"))
    fails("E2BIG", os.setxattr, "f", "user.c", b"v" * 65537)
    os.setxattr("f", "user." + "n" * 250, b"v")
    fails("ERANGE", os.setxattr, "f", "user." + "n" * 251, b"v")
    for name in ("system.x", "other.x", "nodot"):
        fails("EOPNOTSUPP", os.setxattr, "f", name, b"v")
    fails("ENODATA", os.getxattr, "f", "user.none")
    fails("ENODATA", os.removexattr, "f", "user.none")
    fails("EEXIST", os.setxattr, "f", "user.a", b"v", os.XATTR_CREATE)
    fails("ENODATA", os.setxattr, "f", "user.none", b"v", os.XATTR_REPLACE)
    equal(errno.EPERM, as_user(USER, os.setxattr, "f", "trusted.t", b"v"))
    equal(errno.EACCES, as_user(USER, os.setxattr, "f", "user.a", b"w"))
    make("full")
    # Names and values count: 15 of 65,536 bytes, and one that fills up to 1 MiB to the byte.
    for number in range(15):
        os.setxattr("full", f"user.{number:03}", b"v" * (65536 - 8))
    os.setxattr("full", "user.max", b"v" * (65536 - 8))
    fails("ENOSPC", os.setxattr, "full", "user.m", b"")
    os.removexattr("full", "user.max")
    os.setxattr("full", "user.m", b"")


def fifos_devices_and_sockets():
    os.mkfifo("p")
    heard = []
    reader = threading.Thread(target=lambda: heard.append(content("p")))
    reader.start()
    with open("p", "wb") as writer:
        writer.write(b"through a fifo")
    reader.join()
    equal([b"through a fifo"], heard)
    os.mknod("null", stat.S_IFCHR | 0o666, os.makedev(1, 3))
    os.mknod("zero", stat.S_IFCHR | 0o666, os.makedev(1, 5))
    with open("null", "wb") as null:
        null.write(b"gone")
    equal(b"\0" * 8, os.read(os.open("zero", os.O_RDONLY), 8))
    equal(os.makedev(1, 5), os.stat("zero").st_rdev)
    os.mknod("block", stat.S_IFBLK | 0o600, os.makedev(259, 70000))
    equal(os.makedev(259, 70000), os.stat("block").st_rdev)
    equal(errno.EPERM, as_user(USER, os.mknod, "x", stat.S_IFCHR, os.makedev(1, 3)))
    server = socket.socket(socket.AF_UNIX)
    server.bind("s")
    server.listen()
    client = socket.socket(socket.AF_UNIX)
    client.connect("s")
    assert stat.S_ISSOCK(os.stat("s").st_mode)
    fails("ENXIO", os.open, "s", os.O_RDWR)


def renameat2_flags():
    make("a", b"a")
    make("b", b"b")
    fails("EEXIST", renameat2, "a", "b", NOREPLACE)
    renameat2("a", "c", NOREPLACE)
    renameat2("c", "b", EXCHANGE)
    equal((b"b", b"a"), (content("c"), content("b")))
    fails("ENOENT", renameat2, "b", "none", EXCHANGE)
    fails("EOPNOTSUPP", renameat2, "b", "d", WHITEOUT)
    fails("EOPNOTSUPP", renameat2, "b", "d", WHITEOUT | NOREPLACE)
    fails("EINVAL", renameat2, "b", "c", WHITEOUT | EXCHANGE)
    fails("EINVAL", renameat2, "b", "d", 8)
    fails("EINVAL", renameat2, "b", "c", NOREPLACE | EXCHANGE)
    equal(["b", "c"], sorted(os.listdir(".")))


def o_direct_is_ignored():
    fd = os.open("f", os.O_CREAT | os.O_RDWR | os.O_DIRECT)
    os.write(fd, b"not aligned at all")
    equal(b"aligned", os.pread(fd, 7, 4))
    page = mmap.mmap(-1, 4096)
    fd = os.open("f", os.O_RDONLY | os.O_DIRECT)
    equal(18, os.preadv(fd, [page], 0))
    equal(b"not aligned at all", page[:18])


def mmap_of_every_kind():
    make("f", b"common")
    fd = os.open("f", os.O_RDONLY)
    shared = mmap.mmap(fd, 6, mmap.MAP_SHARED, mmap.PROT_READ)
    equal(b"common", shared[:])
    private = mmap.mmap(fd, 6, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_WRITE)
    private[0:1] = b"C"
    equal((b"Common", b"common"), (private[:], content("f")))
    fails("EACCES", mmap.mmap, fd, 6, mmap.MAP_SHARED, mmap.PROT_READ | mmap.PROT_WRITE)
    fd = os.open("f", os.O_RDWR)
    fails("ENODEV", mmap.mmap, fd, 6, mmap.MAP_SHARED, mmap.PROT_READ | mmap.PROT_WRITE)
    private = mmap.mmap(fd, 6, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_WRITE)
    private[0:1] = b"C"
    equal((b"Common", b"common"), (private[:], content("f")))


HELPERS = ("main", "times", "put")


def main():
    cases = {
        name: case
        for name, case in globals().items()
        if callable(case) and getattr(case, "__module__", "") == "__main__" and name not in HELPERS
    }
    if len(sys.argv) < 2:
        print("\n".join(cases))
    else:
        os.umask(0o022)
        os.chmod(".", 0o777)
        cases[sys.argv[1]]()


main()

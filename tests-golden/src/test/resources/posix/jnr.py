"""What a mount through libfuse 2 cannot do, and how it says so. Run in a folder of such a mount.

Each case is a row of the README's table. One that fails here may be a row that can go.
"""

import fcntl
import mmap
import os
import sys

from calls import EXCHANGE, NOREPLACE, equal, fails, renameat2, statx


def a_file_without_a_name_has_no_attributes():
    fd = os.open("f", os.O_RDWR | os.O_CREAT, 0o640)
    os.write(fd, b"still here")
    os.unlink("f")
    fails("ENOENT", os.fstat, fd)
    fails("ENOENT", os.fchmod, fd, 0o600)
    # What goes by the open file goes on.
    os.pwrite(fd, b"S", 0)
    equal(b"Still here", os.pread(fd, 100, 0), "read and written without a name")
    os.fsync(fd)
    os.ftruncate(fd, 5)
    equal(b"Still", os.pread(fd, 100, 0), "truncated without a name")
    fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.close(fd)
    equal([], os.listdir("."), "names that are left")


def a_replaced_file_shows_the_attributes_of_the_new_one():
    fd = os.open("f", os.O_RDWR | os.O_CREAT, 0o640)
    os.write(fd, b"old")
    with open("new", "w") as new:
        new.write("longer")
    os.rename("new", "f")
    fails("ENOENT", os.fstat, fd)
    equal(b"old", os.pread(fd, 100, 0), "the open file")


def shared_maps_are_refused():
    fd = os.open("f", os.O_RDWR | os.O_CREAT, 0o640)
    os.write(fd, b"abcdef")
    reader = os.open("f", os.O_RDONLY)
    fails("ENODEV", mmap.mmap, reader, 6, mmap.MAP_SHARED, mmap.PROT_READ)
    fails("ENODEV", mmap.mmap, fd, 6, mmap.MAP_SHARED, mmap.PROT_READ | mmap.PROT_WRITE)
    private = mmap.mmap(reader, 6, mmap.MAP_PRIVATE, mmap.PROT_READ)
    equal(b"abcdef", private[:], "a private map")


def renames_have_no_flags():
    open("a", "w").close()
    open("b", "w").close()
    fails("EINVAL", renameat2, "a", "c", NOREPLACE)
    fails("EINVAL", renameat2, "a", "b", EXCHANGE)


def no_file_is_made_without_a_name():
    fails("EOPNOTSUPP", os.open, ".", os.O_TMPFILE | os.O_RDWR, 0o640)


def holes_are_not_found_and_are_filled_by_copies():
    fd = os.open("f", os.O_RDWR | os.O_CREAT, 0o640)
    os.pwrite(fd, b"x", 1 << 20)
    equal(0, os.lseek(fd, 0, os.SEEK_DATA), "data")
    copy = os.open("copy", os.O_RDWR | os.O_CREAT, 0o640)
    left = (1 << 20) + 1
    while left > 0:
        left -= os.copy_file_range(fd, copy, left)
    equal(b"x", os.pread(copy, 1, 1 << 20), "the copy's last byte")


def there_is_no_time_of_birth():
    open("f", "w").close()
    mask, _, _ = statx("f")
    equal(0x7FF, mask & 0xFFF, "mask")


def access_times_are_not_kept():
    open("f", "w").close()
    os.utime("f", ns=(1_000_000_007, 2_000_000_009))
    equal((2_000_000_009, 2_000_000_009), (os.stat("f").st_atime_ns, os.stat("f").st_mtime_ns))


def a_change_of_owner_to_nobody_new_changes_nothing():
    open("f", "w").close()
    before = os.stat("f").st_ctime_ns
    os.chown("f", -1, -1)
    equal(before, os.stat("f").st_ctime_ns, "ctime")


def main():
    cases = {
        name: case
        for name, case in globals().items()
        if callable(case) and getattr(case, "__module__", "") == "__main__" and name != "main"
    }
    if len(sys.argv) == 1:
        print("\n".join(cases))
    else:
        cases[sys.argv[1]]()


if __name__ == "__main__":
    main()

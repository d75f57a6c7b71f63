"""What the cases use beside the standard library: raw system calls, other users, and checks."""

import ctypes
import errno
import os
import struct
import sys
import time

LIBC = ctypes.CDLL(None, use_errno=True)
KEEP_SIZE, PUNCH_HOLE, COLLAPSE, ZERO_RANGE, INSERT, UNSHARE = 1, 2, 8, 16, 32, 64
NOREPLACE, EXCHANGE, WHITEOUT = 1, 2, 4


def _checked(result):
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


def fallocate(fd, mode, offset, length):
    _checked(LIBC.fallocate(fd, mode, ctypes.c_int64(offset), ctypes.c_int64(length)))


def renameat2(old, new, flags):
    _checked(LIBC.renameat2(-100, old.encode(), -100, new.encode(), ctypes.c_uint(flags)))


def first_name(fd, name):
    """linkat as open(2) recommends it for O_TMPFILE."""
    _checked(LIBC.linkat(-100, f"/proc/self/fd/{fd}".encode(), -100, name.encode(), 0x400))


def statx(path):
    """Mask, birth time and change time, the times in nanoseconds."""
    buffer = ctypes.create_string_buffer(256)
    _checked(LIBC.statx(-100, path.encode(), 0x100, ctypes.c_uint(0xFFF), buffer))
    mask = struct.unpack_from("=I", buffer, 0)[0]
    birth = struct.unpack_from("=qI", buffer, 80)
    change = struct.unpack_from("=qI", buffer, 96)
    return mask, birth[0] * 10**9 + birth[1], change[0] * 10**9 + change[1]


def fails(code, call, *arguments, **named):
    """The call must end with this errno."""
    try:
        result = call(*arguments, **named)
    except OSError as failure:
        found = errno.errorcode.get(failure.errno, failure.errno)
        assert failure.errno == getattr(errno, code), f"{found} instead of {code}"
        return
    raise AssertionError(f"{result} instead of {code}")


def as_user(uid, call, *arguments):
    """Makes the call as another user; returns 0 or the errno."""
    child = os.fork()
    if child == 0:
        code = 0
        try:
            os.setgroups([])
            os.setresgid(uid, uid, uid)
            os.setresuid(uid, uid, uid)
            call(*arguments)
        except OSError as failure:
            code = failure.errno
        except BaseException as failure:
            print(failure, file=sys.stderr)
            code = 255
        os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def equal(expected, actual, what=""):
    assert expected == actual, f"{what}: expected {expected!r}, got {actual!r}"


def soon(expected, question, what=""):
    """What another mount has done, or sees, arrives in its own time."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        try:
            if question() == expected:
                return
        except FileNotFoundError:
            pass
        time.sleep(0.005)
    equal(expected, question(), what)


def make(path, content=b"", mode=0o644):
    fd = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, mode)
    os.write(fd, content)
    os.close(fd)
    os.chmod(path, mode)


def content(path):
    with open(path, "rb") as file:
        return file.read()


def mode(path):
    return os.lstat(path).st_mode & 0o7777

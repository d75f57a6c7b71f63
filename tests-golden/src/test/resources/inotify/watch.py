"""inotify through ctypes: watches of one process, and their events."""

import ctypes
import os
import select
import struct
import time

MODIFY, ATTRIB, CLOSE_WRITE = 0x2, 0x4, 0x8
MOVED_FROM, MOVED_TO, CREATE, DELETE = 0x40, 0x80, 0x100, 0x200
DELETE_SELF, MOVE_SELF, IGNORED, ISDIR = 0x400, 0x800, 0x8000, 0x40000000
Q_OVERFLOW = 0x4000
NAMES_AND_CONTENT = (
    MODIFY | ATTRIB | MOVED_FROM | MOVED_TO | CREATE | DELETE | DELETE_SELF | MOVE_SELF
)
LIMIT_S = 60

_WORDS = {
    MODIFY: "MODIFY",
    ATTRIB: "ATTRIB",
    MOVED_FROM: "MOVED_FROM",
    MOVED_TO: "MOVED_TO",
    CREATE: "CREATE",
    DELETE: "DELETE",
    DELETE_SELF: "DELETE_SELF",
    MOVE_SELF: "MOVE_SELF",
    IGNORED: "IGNORED",
    Q_OVERFLOW: "Q_OVERFLOW",
}
_LIBC = ctypes.CDLL(None, use_errno=True)


class Watcher:
    """Watches; an event reads as "label EVENT name", with "dir" before the name of a directory."""

    def __init__(self):
        self.fd = _LIBC.inotify_init1(os.O_CLOEXEC | os.O_NONBLOCK)
        self.labels = {}
        self.cookies = []

    def add(self, path, label, mask=NAMES_AND_CONTENT):
        wd = _LIBC.inotify_add_watch(self.fd, os.fsencode(path), mask)
        if wd < 0:
            raise OSError(ctypes.get_errno(), path)
        self.labels[wd] = label
        return wd

    def remove(self, wd):
        _LIBC.inotify_rm_watch(self.fd, wd)

    def read(self, wait_s):
        """The events that are there, after waiting for the first one."""
        if not select.select([self.fd], [], [], wait_s)[0]:
            return []
        data = os.read(self.fd, 1 << 20)
        events = []
        at = 0
        while at < len(data):
            wd, mask, cookie, length = struct.unpack_from("iIII", data, at)
            name = data[at + 16 : at + 16 + length].rstrip(b"\0").decode()
            at += 16 + length
            word = _WORDS.get(mask & 0xFFFF, hex(mask))
            parts = [self.labels.get(wd, "?"), word]
            parts += ["dir"] if mask & ISDIR else []
            parts += [name] if name else []
            events.append(" ".join(parts))
            if cookie:
                self.cookies.append(cookie)
        return events

    def expect(self, *wanted):
        """These events, in this order, and no others for a while."""
        seen = []
        limit = time.monotonic() + LIMIT_S
        while len(seen) < len(wanted) and time.monotonic() < limit:
            seen += self.read(0.2)
        seen += self.read(1.0)
        if seen != list(wanted):
            raise AssertionError("expected %s\nbut heard %s" % (list(wanted), seen))

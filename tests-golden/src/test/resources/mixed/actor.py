"""Makes the calls that it is told, in its working directory, and says what became of each.

One call a line, its words separated by tabs; an empty line ends a turn. The answers of a turn, one a line,
are given together when it has ended. An answer is OK or what was asked for, or the name of an errno.
"""

import errno
import os
import signal
import stat
import sys
import time

STUCK_AFTER = 90
POLL = 0.0002


def create(path):
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644))


def append(path, text):
    write(os.open(path, os.O_WRONLY | os.O_APPEND), text)


def replace(path, text):
    write(os.open(path, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o644), text)


def write(fd, text):
    try:
        assert os.write(fd, text.encode()) == len(text)
    finally:
        os.close(fd)


def read(path):
    fd = os.open(path, os.O_RDONLY)
    try:
        return "text " + os.read(fd, 1 << 16).decode()
    finally:
        os.close(fd)


def attributes(found):
    kind = stat.S_IFMT(found.st_mode)
    if kind == stat.S_IFDIR:
        return f"directory of {found.st_nlink}"
    return f"{'link' if kind == stat.S_IFLNK else 'file'} of {found.st_nlink}, {found.st_size} bytes"


def listing(path, prefix):
    return "names " + " ".join(sorted(name for name in os.listdir(path) if name.startswith(prefix)))


def wait(path, size):
    """Until the file has this size: what was done before it got it must be seen from then on."""
    until = time.monotonic() + STUCK_AFTER / 2
    while os.stat(path).st_size < int(size):
        if time.monotonic() > until:
            return f"it has {os.stat(path).st_size} bytes"
        time.sleep(POLL)
    return None


CALLS = {
    "create": create,
    "mkdir": os.mkdir,
    "symlink": os.symlink,
    "link": os.link,
    "rename": os.rename,
    "unlink": os.unlink,
    "rmdir": os.rmdir,
    "append": append,
    "replace": replace,
    "read": read,
    "lstat": lambda path: attributes(os.lstat(path)),
    "stat": lambda path: attributes(os.stat(path)),
    "readlink": lambda path: "to " + os.readlink(path),
    "list": listing,
    "wait": wait,
}


def answer(words):
    try:
        return CALLS[words[0]](*words[1:]) or "OK"
    except OSError as failure:
        return errno.errorcode.get(failure.errno, str(failure.errno))


def main():
    answers = []
    for line in sys.stdin:
        signal.alarm(STUCK_AFTER)
        if line != "\n":
            answers.append(answer(line.rstrip("\n").split("\t")))
        else:
            print("\n".join(answers), flush=True)
            answers = []
            signal.alarm(0)


main()

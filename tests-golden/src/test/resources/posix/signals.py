"""Calls that get a signal while the leader, whose process id is given, is stopped."""

import ctypes
import os
import signal
import subprocess
import sys
import time

LIBC = ctypes.CDLL(None, use_errno=True)
SIGNAL_AFTER, LEADER_BACK_AFTER, STALE = 0.5, 2.5, 1.0
alarms = []


def stop(leader):
    """Until it goes on by itself, whatever becomes of this process."""
    os.kill(leader, signal.SIGSTOP)
    return subprocess.Popen(["sh", "-c", f"sleep {LEADER_BACK_AFTER + STALE}; kill -CONT {leader}"])


def alarm():
    """No SA_RESTART, and nothing is raised: the call says what becomes of it."""
    signal.signal(signal.SIGALRM, lambda *_: alarms.append(1))
    signal.siginterrupt(signal.SIGALRM, True)
    signal.setitimer(signal.ITIMER_REAL, SIGNAL_AFTER)
    return time.monotonic()


def not_sent(leader):
    """It waits to hear how far the leader is."""
    going_on = stop(leader)
    time.sleep(STALE)
    begin = alarm()
    try:
        os.mkdir("never")
        sys.exit("mkdir succeeded")
    except InterruptedError:
        waited = time.monotonic() - begin
    assert SIGNAL_AFTER * 0.9 < waited < LEADER_BACK_AFTER, waited
    going_on.wait()
    assert not os.path.exists("never")


def sent(leader):
    """It has gone to the leader, who will log it."""
    fd = os.open("file", os.O_CREAT | os.O_WRONLY)
    going_on = stop(leader)
    time.sleep(STALE)
    begin = alarm()
    written = LIBC.write(fd, b"text", 4)
    waited = time.monotonic() - begin
    assert (written, len(alarms)) == (4, 1), (written, ctypes.get_errno(), alarms)
    assert waited > LEADER_BACK_AFTER * 0.6, waited
    going_on.wait()
    with open("file", "rb") as file:
        assert file.read() == b"text"


{"not_sent": not_sent, "sent": sent}[sys.argv[1]](int(sys.argv[2]))

"""Calls that get a signal while the leader, whose process id is given, is stopped."""

import ctypes
import os
import signal
import subprocess
import sys
import time

LIBC = ctypes.CDLL(None, use_errno=True)
SIGNAL_AFTER, LEADER_BACK_AFTER, STALE = 0.3, 2.5, 1.0
alarms = []


def stop(leader, seconds):
    """Until it goes on by itself, whatever becomes of this process."""
    os.kill(leader, signal.SIGSTOP)
    return subprocess.Popen(["sh", "-c", f"sleep {seconds}; kill -CONT {leader}"])


def alarm():
    """No SA_RESTART, and nothing is raised: the call says what becomes of it."""
    signal.signal(signal.SIGALRM, lambda *_: alarms.append(1))
    signal.siginterrupt(signal.SIGALRM, True)
    signal.setitimer(signal.ITIMER_REAL, SIGNAL_AFTER)
    return time.monotonic()


def handled(leader):
    """It waits to hear how far the leader is, and goes on with that: a disk does not say EINTR either."""
    going_on = stop(leader, STALE + 1)  # not so long that it counts as lost
    time.sleep(STALE)
    begin = alarm()
    os.mkdir("made")
    waited = time.monotonic() - begin
    assert (waited > 0.6, len(alarms)) == (True, 1), (waited, alarms)
    going_on.wait()
    assert os.path.isdir("made")


def child_waits():
    """A process that waits as above, and handles SIGALRM, but nothing else."""
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGALRM, lambda *_: None)
        os.mkdir("never")
        os._exit(0)
    time.sleep(SIGNAL_AFTER)
    return child


def end(child, number):
    begin = time.monotonic()
    os.kill(child, number)
    _, status = os.waitpid(child, 0)
    waited = time.monotonic() - begin
    assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == number, status
    assert waited < 1, waited


def ended(leader):
    """Ctrl-C, kill, and what leaves a core dump."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Python handles it
    going_on = stop(leader, LEADER_BACK_AFTER + STALE)
    time.sleep(STALE)
    children = [child_waits() for _ in range(3)]
    for child, number in zip(children, (signal.SIGINT, signal.SIGKILL, signal.SIGQUIT)):
        end(child, number)
    going_on.wait()
    assert not os.path.exists("never")


def ended_later(leader):
    """The kernel has told of the first signal, which is handled, and says nothing of the second."""
    going_on = stop(leader, LEADER_BACK_AFTER + STALE)
    time.sleep(STALE)
    child = child_waits()
    os.kill(child, signal.SIGALRM)
    time.sleep(SIGNAL_AFTER)
    end(child, signal.SIGTERM)
    going_on.wait()
    assert not os.path.exists("never")


def sent(leader):
    """It has gone to the leader, who will log it."""
    fd = os.open("file", os.O_CREAT | os.O_WRONLY)
    going_on = stop(leader, LEADER_BACK_AFTER + STALE)
    time.sleep(STALE)
    begin = alarm()
    written = LIBC.write(fd, b"text", 4)
    waited = time.monotonic() - begin
    assert (written, len(alarms)) == (4, 1), (written, ctypes.get_errno(), alarms)
    assert waited > LEADER_BACK_AFTER * 0.6, waited
    going_on.wait()
    with open("file", "rb") as file:
        assert file.read() == b"text"


CASES = {"handled": handled, "ended": ended, "ended_later": ended_later, "sent": sent}
CASES[sys.argv[1]](int(sys.argv[2]))

package io.hypersync.sim.load;

import io.hypersync.sim.load.SimProcess.Handle;
import io.hypersync.sim.world.Prng;
import io.hypersync.sim.world.Timeline;
import io.hypersync.worker.fuse.abi.FuseFlags;
import io.hypersync.worker.fuse.abi.FuseOpcode;
import io.hypersync.worker.fuse.protocol.FuseLock;
import io.hypersync.worker.fuse.protocol.FuseLockOwner;
import io.hypersync.worker.fuse.protocol.FuseOperation;
import io.hypersync.worker.fuse.protocol.RequestId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

/**
 * Random lock calls. While it holds a lock, a process waits only for fcntl locks, and only if all
 * that it holds are fcntl locks, because the leader detects a cycle only among these (EDEADLK). So
 * no undetected deadlock is possible: once faults have ended and every process releases its locks,
 * every wait must end.
 */
final class LockCalls {
  private static final int SHARED = 0;
  private static final int EXCLUSIVE = 1;
  private static final int UNLOCK = 2;
  private static final int LONGEST_FILE = 20;

  /** Shortest delay of a signal: before even an immediate grant can arrive. */
  private static final long AT_ONCE_NS = Timeline.MS / 10;

  private static final long LATE_NS = 5_000 * Timeline.MS;

  private record Locked(Handle handle, boolean flock, long first, long last) {}

  private final SimProcess process;
  private final SimKernel kernel;
  private final Prng prng;
  private final List<Locked> locked = new ArrayList<>();

  LockCalls(SimProcess process, SimKernel kernel, Prng prng) {
    this.process = process;
    this.kernel = kernel;
    this.prng = prng;
  }

  void next() {
    if (!locked.isEmpty() && prng.oneIn(3)) {
      letGo();
    } else if (!process.handles().isEmpty()) {
      Locked held = locked.isEmpty() ? null : locked.getLast();
      if (held != null && isOneOfTwo(held) && prng.oneIn(2)) {
        long other = 1 - held.first;
        lock(new Locked(held.handle, false, other, other), EXCLUSIVE, true);
      } else {
        Handle handle = prng.oneIn(4) ? prng.pick(process.handles()) : popular();
        lock(any(handle), prng.oneIn(2) ? SHARED : EXCLUSIVE, prng.oneIn(2));
      }
    }
  }

  /**
   * Whether it is one of the two most wanted bytes: a holder of one that wants the other one soon
   * closes a cycle.
   */
  private static boolean isOneOfTwo(Locked lock) {
    return !lock.flock && lock.first == lock.last && lock.first < 2;
  }

  /** Unlocks the oldest lock, if there is one. */
  void letGo() {
    if (!locked.isEmpty()) {
      Locked one = locked.removeFirst();
      RequestId _ = call(one, UNLOCK, false, _ -> {});
    }
  }

  /**
   * Forgets the locks that a close releases: every fcntl lock of the file, and the flock of the
   * handle.
   */
  void closed(Handle handle) {
    locked.removeIf(
        one ->
            one.handle.equals(handle) || (!one.flock && one.handle.inode().equals(handle.inode())));
  }

  /** The open file with the lowest inode number, which all processes agree on. */
  private Handle popular() {
    return Collections.min(
        process.handles(), Comparator.comparingLong(handle -> handle.inode().value()));
  }

  private Locked any(Handle handle) {
    boolean flock = prng.oneIn(2);
    long first = flock ? 0 : prng.below(prng.oneIn(4) ? LONGEST_FILE : 2);
    long last =
        flock || prng.oneIn(8)
            ? Long.MAX_VALUE
            : first < 2 ? first : prng.between(first, LONGEST_FILE);
    return new Locked(handle, flock, first, last);
  }

  private void lock(Locked wanted, int type, boolean patient) {
    boolean mayWait = wanted.flock ? locked.isEmpty() : locked.stream().noneMatch(Locked::flock);
    boolean wait = mayWait && !prng.oneIn(3);
    boolean[] answered = {false};
    RequestId unique =
        call(
            wanted,
            type,
            wait,
            granted -> {
              answered[0] = true;
              if (granted) {
                locked.add(wanted);
              }
            });
    if (wait && !patient) {
      kernel
          .worker()
          .host()
          .after(
              prng.scale(AT_ONCE_NS, LATE_NS),
              "",
              () -> {
                if (!answered[0] && process.isActive()) {
                  kernel.interrupt(unique, process.pid());
                }
              });
    }
  }

  @FunctionalInterface
  private interface Then {
    void answered(boolean granted);
  }

  private RequestId call(Locked lock, int type, boolean wait, Then then) {
    return process.call(
        lock.handle.inode(),
        wait ? FuseOpcode.SETLKW : FuseOpcode.SETLK,
        new FuseOperation.SetLk(
            lock.handle.fh(),
            new FuseLockOwner(lock.flock ? lock.handle.fh().value() : process.pid()),
            new FuseLock(lock.first, lock.last, type, process.pid()),
            lock.flock ? FuseFlags.Lock.FLOCK : 0,
            wait),
        answer -> then.answered(answer.errno() == null));
  }
}

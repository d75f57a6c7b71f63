package io.hypersync.sim.load;

import io.hypersync.sim.load.SimProcess.Handle;
import io.hypersync.sim.world.Chance;
import io.hypersync.sim.world.Timeline;
import io.hypersync.worker.fuse.abi.FuseFlags;
import io.hypersync.worker.fuse.abi.FuseOpcode;
import io.hypersync.worker.fuse.protocol.FuseLock;
import io.hypersync.worker.fuse.protocol.FuseOperation;
import java.util.ArrayList;
import java.util.List;

/**
 * What a process does with locks. It waits for one only while it holds none, so nobody waits for
 * himself: once nothing breaks any more, and everybody lets go, every wait must end.
 */
final class LockCalls {
  private static final int SHARED = 0;
  private static final int EXCLUSIVE = 1;
  private static final int UNLOCK = 2;
  private static final int LONGEST_FILE = 20;
  private static final long SOON_NS = 5 * Timeline.MS;
  private static final long LATE_NS = 5_000 * Timeline.MS;

  private record Locked(Handle handle, boolean flock, long first, long last) {}

  private final SimProcess process;
  private final SimKernel kernel;
  private final Chance chance;
  private final List<Locked> locked = new ArrayList<>();

  LockCalls(SimProcess process, SimKernel kernel, Chance chance) {
    this.process = process;
    this.kernel = kernel;
    this.chance = chance;
  }

  void next() {
    if (!locked.isEmpty() && chance.oneIn(2)) {
      letGo();
    } else if (!process.handles().isEmpty()) {
      lock(chance.pick(process.handles()));
    }
  }

  /** Unlocks one, if there is one. */
  void letGo() {
    if (!locked.isEmpty()) {
      Locked one = locked.removeFirst();
      long _ = call(one, UNLOCK, false, _ -> {});
    }
  }

  /** What close does away with: every fcntl lock of the file, and this handle's flock. */
  void closed(Handle handle) {
    locked.removeIf(
        one -> one.handle.equals(handle) || (!one.flock && one.handle.inode() == handle.inode()));
  }

  private void lock(Handle handle) {
    boolean flock = chance.oneIn(2);
    long first = flock ? 0 : chance.below(LONGEST_FILE);
    long last = flock || chance.oneIn(4) ? Long.MAX_VALUE : chance.between(first, LONGEST_FILE);
    Locked wanted = new Locked(handle, flock, first, last);
    boolean wait = locked.isEmpty() && !chance.oneIn(3);
    boolean[] answered = {false};
    long unique =
        call(
            wanted,
            chance.oneIn(2) ? SHARED : EXCLUSIVE,
            wait,
            granted -> {
              answered[0] = true;
              if (granted) {
                locked.add(wanted);
              }
            });
    if (wait) {
      kernel
          .worker()
          .host()
          .after(
              chance.scale(SOON_NS, LATE_NS),
              "",
              () -> {
                if (!answered[0] && process.isActive()) {
                  kernel.interrupt(unique);
                }
              });
    }
  }

  @FunctionalInterface
  private interface Then {
    void answered(boolean granted);
  }

  private long call(Locked lock, int type, boolean wait, Then then) {
    return process.call(
        lock.handle.inode(),
        wait ? FuseOpcode.SETLKW : FuseOpcode.SETLK,
        new FuseOperation.SetLk(
            lock.handle.fh(),
            lock.flock ? lock.handle.fh() : process.pid(),
            new FuseLock(lock.first, lock.last, type, process.pid()),
            lock.flock ? FuseFlags.Lock.FLOCK : 0,
            wait),
        answer -> then.answered(answer.errno() == null));
  }
}

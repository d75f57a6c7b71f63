package io.hypersync.cli.memory;

import io.hypersync.wire.agent.Agent;
import io.hypersync.wire.agent.Clock;
import java.time.Duration;

/**
 * Has an idle process give the room in its heap back, once, until it has worked again. Room makes
 * commits fast (decision 013), and is worth nothing to whom nobody asks for any; others on the
 * machine, compilers above all, can use it.
 */
final class IdleMemory implements Agent {
  /** Idle is who has not worked for so long. */
  static final Duration IDLE = Duration.ofMinutes(1);

  /**
   * Work is to allocate more than this in a second: some thirty-five commits do, and a daemon's
   * heartbeats are a third of it.
   */
  static final long WORK_BYTES_PER_S = 1L << 19;

  /** Less room is not worth the collections. */
  static final long MIN_ROOM_BYTES = 32L << 20;

  private static final double NS_PER_S = 1e9;

  private final ProcessMemory memory;
  private final Clock clock;
  private long allocatedBytes;
  private long seenNs;
  private long quietSinceNs;
  private boolean resting;

  IdleMemory(ProcessMemory memory, Clock clock) {
    this.memory = memory;
    this.clock = clock;
    see();
    this.quietSinceNs = seenNs;
  }

  /** To be called about once a second: what works has its room again that soon. */
  @Override
  public int doWork() {
    if (hasWorked()) {
      return takeRoom();
    }
    if (resting || seenNs - quietSinceNs < IDLE.toNanos()) {
      return 0;
    }
    if (memory.roomBytes() < MIN_ROOM_BYTES) {
      quietSinceNs = seenNs; // and looks again in a minute
      return 0;
    }
    resting = true;
    memory.giveBack(this::isAtWork);
    return hasWorked() ? takeRoom() : 1;
  }

  private boolean hasWorked() {
    boolean worked = isAtWork();
    see();
    if (worked) {
      quietSinceNs = seenNs;
    }
    return worked;
  }

  /** Since it was seen last; what comes at once, as heartbeats do, is given a second. */
  private boolean isAtWork() {
    double seconds = (clock.monotonicNs() - seenNs) / NS_PER_S;
    return memory.allocatedBytes() - allocatedBytes > WORK_BYTES_PER_S * Math.max(seconds, 1);
  }

  private void see() {
    allocatedBytes = memory.allocatedBytes();
    seenNs = clock.monotonicNs();
  }

  private int takeRoom() {
    if (!resting) {
      return 0;
    }
    resting = false;
    memory.takeRoom();
    return 1;
  }
}

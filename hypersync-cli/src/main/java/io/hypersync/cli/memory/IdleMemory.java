package io.hypersync.cli.memory;

import io.hypersync.runtime.agent.Agent;
import io.hypersync.runtime.agent.Clock;
import java.time.Duration;

/**
 * Gives free heap back to the system when the process becomes idle, once per idle period. Free heap
 * makes commits fast (decision 013), but is useless to an idle process, and other programs on the
 * machine, compilers above all, can use it. Not thread-safe.
 */
final class IdleMemory implements Agent {
  /** A process that has not worked for this long is idle. */
  static final Duration IDLE = Duration.ofMinutes(1);

  /**
   * Allocating more than this is work. Some 35 commits per second do; a daemon's heartbeats
   * allocate a third of it.
   */
  static final long WORK_BYTES_PER_S = 1L << 19;

  /** Giving back less than this is not worth the collections. */
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

  /**
   * To be called about once a second: that is how soon a process at work gets its free heap back.
   */
  @Override
  public int doWork() {
    if (hasWorked()) {
      return takeRoom();
    }
    if (resting || seenNs - quietSinceNs < IDLE.toNanos()) {
      return 0;
    }
    if (memory.roomBytes() < MIN_ROOM_BYTES) {
      quietSinceNs = seenNs; // looks again after another minute
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

  /**
   * Whether the process has worked since the last {@link #see}. The rate is taken over at least one
   * second, so that allocations in a burst, such as heartbeats, do not count as work.
   */
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

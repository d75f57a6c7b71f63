package io.hypersync.worker.fuse.session;

import io.hypersync.worker.fuse.abi.FuseOpcode;
import java.util.EnumMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Counts bad requests by opcode, so that a kernel that repeats one does not fill the log.
 * Thread-safe.
 */
final class MalformedRequestLog {
  private final EnumMap<FuseOpcode, AtomicLong> counts = new EnumMap<>(FuseOpcode.class);
  private final AtomicLong unknown = new AtomicLong();

  MalformedRequestLog() {
    for (FuseOpcode opcode : FuseOpcode.values()) {
      counts.put(opcode, new AtomicLong());
    }
  }

  /**
   * Counts one more.
   *
   * @param opcode null for an unknown one
   * @return how many there were of this opcode, including this one
   */
  long count(@Nullable FuseOpcode opcode) {
    AtomicLong count = opcode == null ? null : counts.get(opcode);
    return (count == null ? unknown : count).incrementAndGet();
  }

  /** Whether to log this one: the first, the second, the fourth, the eighth and so on. */
  static boolean isWorthALine(long count) {
    return Long.bitCount(count) == 1;
  }
}

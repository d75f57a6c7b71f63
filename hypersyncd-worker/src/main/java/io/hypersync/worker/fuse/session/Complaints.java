package io.hypersync.worker.fuse.session;

import io.hypersync.worker.fuse.abi.FuseOpcode;
import java.util.EnumMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Counts what is wrong with requests, by opcode, so that a kernel which says the same again and
 * again does not fill the log. Threads: any.
 */
final class Complaints {
  private final EnumMap<FuseOpcode, AtomicLong> counts = new EnumMap<>(FuseOpcode.class);
  private final AtomicLong unknown = new AtomicLong();

  Complaints() {
    for (FuseOpcode opcode : FuseOpcode.values()) {
      counts.put(opcode, new AtomicLong());
    }
  }

  /**
   * One more.
   *
   * @param opcode null for an unknown one
   * @return how many there were of this opcode, this one included
   */
  long count(@Nullable FuseOpcode opcode) {
    AtomicLong count = opcode == null ? null : counts.get(opcode);
    return (count == null ? unknown : count).incrementAndGet();
  }

  /** The first, the second, the fourth and so on. */
  static boolean isWorthALine(long count) {
    return Long.bitCount(count) == 1;
  }
}

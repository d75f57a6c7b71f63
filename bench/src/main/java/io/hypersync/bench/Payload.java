package io.hypersync.bench;

import java.nio.ByteBuffer;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Bytes to write, different each time, so that a deduplicating store gains nothing. Not
 * thread-safe.
 */
final class Payload {
  private static final int STAMP_EVERY_BYTES = 4096;

  private final ByteBuffer buffer;
  private long stamp;

  /**
   * Creates a buffer of random bytes.
   *
   * @param bytes length, at least 8
   */
  Payload(int bytes) {
    byte[] noise = new byte[bytes];
    ThreadLocalRandom.current().nextBytes(noise);
    buffer = ByteBuffer.allocateDirect(bytes).put(noise);
    stamp = ThreadLocalRandom.current().nextLong();
  }

  /** Returns the next bytes; valid until the next call. */
  ByteBuffer next() {
    for (int at = 0; at + Long.BYTES <= buffer.capacity(); at += STAMP_EVERY_BYTES) {
      stamp++;
      buffer.putLong(at, stamp);
    }
    return buffer.clear();
  }
}

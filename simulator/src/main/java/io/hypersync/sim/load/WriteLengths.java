package io.hypersync.sim.load;

import io.hypersync.sim.world.Prng;
import java.util.Arrays;

/**
 * Has most writes of some histories one length, so that their chunks do not differ by it. It has a
 * source of its own, so that other histories are what they were.
 */
public final class WriteLengths {
  /** Writes are of one length in one of so many histories. */
  private static final int HISTORIES = 4;

  /** So many in a hundred. */
  private static final int PERCENT = 70;

  /** Above the inline limit, and one chunk. */
  private static final int BYTES = 9_000;

  private final Prng prng;
  private final boolean areEqual;

  /** Draws whether writes of this history are of one length. */
  public WriteLengths(Prng prng) {
    this.prng = prng;
    this.areEqual = prng.oneIn(HISTORIES);
  }

  /** What is written in place of some bytes. */
  byte[] of(byte[] drawn) {
    return areEqual && prng.below(100) < PERCENT ? Arrays.copyOf(drawn, BYTES) : drawn;
  }
}

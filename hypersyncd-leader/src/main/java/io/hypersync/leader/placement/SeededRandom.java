package io.hypersync.leader.placement;

import java.util.random.RandomGenerator;

/**
 * Random numbers of one decision: SplitMix64. With the seed, which the evidence has, a decision can
 * be made again.
 */
final class SeededRandom implements RandomGenerator {
  private static final long STEP = 0x9E3779B97F4A7C15L;

  private long state;

  SeededRandom(long seed) {
    this.state = seed;
  }

  @Override
  public long nextLong() {
    state += STEP;
    long mixed = (state ^ state >>> 30) * 0xBF58476D1CE4E5B9L;
    mixed = (mixed ^ mixed >>> 27) * 0x94D049BB133111EBL;
    return mixed ^ mixed >>> 31;
  }
}

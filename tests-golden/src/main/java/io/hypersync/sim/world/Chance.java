package io.hypersync.sim.world;

import io.hypersync.wire.agent.Entropy;
import java.util.List;
import java.util.SplittableRandom;

/** All randomness of a history, or of one part of it: the seed decides every answer. */
public final class Chance implements Entropy {
  private final SplittableRandom random;

  /** The chance of a whole history. */
  public Chance(long seed) {
    this(new SplittableRandom(seed));
  }

  private Chance(SplittableRandom random) {
    this.random = random;
  }

  /** Chance for one part, so that what other parts ask does not change its answers. */
  public Chance split() {
    return new Chance(random.split());
  }

  @Override
  public long nextLong() {
    return random.nextLong();
  }

  /** True once in {@code n} times, n at least 1. */
  public boolean oneIn(int n) {
    return random.nextInt(n) == 0;
  }

  /** 0 to {@code n - 1}. */
  public int below(int n) {
    return random.nextInt(n);
  }

  /** {@code low} to {@code high}, both inclusive. */
  public long between(long low, long high) {
    return random.nextLong(low, high + 1);
  }

  /** Like {@link #between}, but small values are as likely as large ones: for waits. */
  public long scale(long low, long high) {
    double ratio = (double) high / low;
    return (long) (low * Math.pow(ratio, random.nextDouble()));
  }

  /** One of the items, which must not be empty. */
  public <T> T pick(List<T> items) {
    return items.get(random.nextInt(items.size()));
  }

  /** So many random bytes. */
  public byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }
}

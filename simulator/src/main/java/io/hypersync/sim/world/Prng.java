package io.hypersync.sim.world;

import io.hypersync.runtime.agent.Entropy;
import java.util.List;
import java.util.SplittableRandom;

/** Source of randomness for a history or a part of it; its values are determined by the seed. */
public final class Prng implements Entropy {
  private final SplittableRandom random;

  /** Creates the source for a whole history. */
  public Prng(long seed) {
    this(new SplittableRandom(seed));
  }

  private Prng(SplittableRandom random) {
    this.random = random;
  }

  /** An independent source for one part, so that calls by other parts do not change its values. */
  public Prng split() {
    return new Prng(random.split());
  }

  @Override
  public long nextLong() {
    return random.nextLong();
  }

  /** True with probability 1/{@code n}; {@code n} is at least 1. */
  public boolean oneIn(int n) {
    return random.nextInt(n) == 0;
  }

  /** A uniform number from 0 to {@code n - 1}. */
  public int below(int n) {
    return random.nextInt(n);
  }

  /** A uniform number from {@code low} to {@code high}, both inclusive. */
  public long between(long low, long high) {
    return random.nextLong(low, high + 1);
  }

  /**
   * A number from {@code low} (at least 1) to {@code high}, uniform on a logarithmic scale, so that
   * short waits are as likely as long ones.
   */
  public long scale(long low, long high) {
    double ratio = (double) high / low;
    return (long) (low * Math.pow(ratio, random.nextDouble()));
  }

  /** One of the items; the list must not be empty. */
  public <T> T pick(List<T> items) {
    return items.get(random.nextInt(items.size()));
  }

  /** {@code length} random bytes. */
  public byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }
}

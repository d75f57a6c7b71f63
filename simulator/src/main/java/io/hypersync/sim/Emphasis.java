package io.hypersync.sim;

/**
 * What a history is about, if it is about one thing. Random options meet some faults once in
 * thousands of histories; those with an emphasis meet one kind of them in each.
 */
public enum Emphasis {
  /** All options are drawn at random. */
  NONE(0),
  /** Collections run one after the other while chunks of intents arrive slowly. */
  COLLECTIONS_BESIDE_UPLOADS(1L << 62),
  /** Acknowledgements wait until all workers show what they tell of. */
  VISIBLE_EVERYWHERE(1L << 61),
  /** Standbys take over from leaders that are gone. */
  FAILOVER(1L << 60);

  private final long firstSeed;

  Emphasis(long firstSeed) {
    this.firstSeed = firstSeed;
  }

  /** The seeds of its histories begin here; there are 2^32 of them. */
  public long firstSeed() {
    return firstSeed;
  }

  static Emphasis of(long seed) {
    for (Emphasis each : values()) {
      if (each != NONE && seed >>> Integer.SIZE == each.firstSeed >>> Integer.SIZE) {
        return each;
      }
    }
    return NONE;
  }
}

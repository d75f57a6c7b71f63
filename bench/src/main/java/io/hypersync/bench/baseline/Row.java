package io.hypersync.bench.baseline;

/**
 * A figure beside a reference which the same run has measured, so that it can be held against a run
 * at another time, or on another machine.
 *
 * @param name what was measured; the same from run to run
 * @param beside the reference
 * @param ratio how many times as long as the reference it took: more is worse
 */
public record Row(String name, String beside, double ratio) {
  /** Rejects what no measurement gives. */
  public Row {
    if (!(ratio > 0) || Double.isInfinite(ratio)) {
      throw new IllegalArgumentException(name + " took " + ratio + " times as long as " + beside);
    }
  }
}

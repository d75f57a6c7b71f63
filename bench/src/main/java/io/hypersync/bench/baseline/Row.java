package io.hypersync.bench.baseline;

/**
 * A figure relative to a reference measured in the same run, which makes it comparable with runs at
 * other times and on other machines.
 *
 * @param name what was measured; the same from run to run
 * @param beside the reference
 * @param ratio the figure's time divided by the reference's; larger is slower
 */
public record Row(String name, String beside, double ratio) {
  /** Rejects a ratio that is not positive and finite. */
  public Row {
    if (!(ratio > 0) || Double.isInfinite(ratio)) {
      throw new IllegalArgumentException(name + " took " + ratio + " times as long as " + beside);
    }
  }
}

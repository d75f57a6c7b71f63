package io.hypersync.runtime.progress;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * How far something is.
 *
 * @param left what is still to be done, in units of work; not negative
 * @param perSecond units done in a second, as measured; null if that is not known yet
 * @param msLeft how long the rest takes at the measured rates, in milliseconds; 0 if nothing is
 *     left, null if that is not known, or if at these rates it is never done
 */
public record Progress(long left, @Nullable Double perSecond, @Nullable Long msLeft) {
  private static final double TENTHS = 10;

  /** The units done in a second, for reports: to a tenth; null if that is not known. */
  public @Nullable Double roundedPerSecond() {
    return perSecond == null ? null : (Double) (Math.round(perSecond * TENTHS) / TENTHS);
  }

  /**
   * The units are entries of the log: with the keys of {@code catch_up} in {@code docs/json.md}.
   */
  public ObjectNode catchUp() {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("entries_behind", left);
    node.put("entries_per_s", roundedPerSecond());
    node.put("ms_left", msLeft);
    return node;
  }
}

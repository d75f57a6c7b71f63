package io.hypersync.leader.reservation;

import org.jspecify.annotations.Nullable;

/**
 * What a source knows.
 *
 * @param goodNs when everything was looked at last, on the monotonic clock; null if never
 * @param lastError why a later look has failed; empty if none has
 * @param files how many records are known, old ones too
 * @param damaged how many make no sense
 * @param unusable how many tell of what is no file of a project
 * @param unread how many were left out because there are too many
 */
public record ReservationView(
    ReservationTable table,
    @Nullable Long goodNs,
    String lastError,
    long files,
    long damaged,
    long unusable,
    long unread) {
  /** Nothing was looked at. */
  public static final ReservationView NOTHING =
      new ReservationView(ReservationTable.EMPTY, null, "", 0, 0, 0, 0);

  /** How far this can be relied on at a time of the monotonic clock, if it is from that source. */
  public SourceFreshness freshness(SourceFreshness.Source source, long nowNs) {
    return SourceFreshness.of(source, goodNs == null ? -1 : nowNs - goodNs, lastError);
  }
}

package io.hypersync.worker.hazard;

import io.hypersync.model.hazard.Author;
import io.hypersync.model.hazard.Hazard;
import java.util.List;

/**
 * An entry with hazards that has become visible on this worker.
 *
 * @param index of the entry
 * @param committedAtNs its time, of the leader's clock, in nanoseconds since 1970
 * @param noticedAtNs when it became visible here, of this host's clock, in nanoseconds since 1970
 * @param author who made the call
 * @param op the kind of the op, for reports
 * @param hazards what it is in conflict with, at least one
 * @param isHere whether one of those whom it concerns works on this worker
 */
public record HazardNotice(
    long index,
    long committedAtNs,
    long noticedAtNs,
    Author author,
    String op,
    List<Hazard> hazards,
    boolean isHere) {
  /** About how many bytes of heap it takes. */
  int weight() {
    return 512 + hazards.stream().mapToInt(hazard -> 1_024 + hazard.path().length).sum();
  }
}

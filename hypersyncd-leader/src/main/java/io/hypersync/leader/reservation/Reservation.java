package io.hypersync.leader.reservation;

import io.hypersync.model.hazard.Holder;
import io.hypersync.model.pattern.PathPattern;

/**
 * What an agent has reserved and not released (hypersync.md 10.3).
 *
 * @param id its number, unique in one generation of its source; -1 if it has none
 * @param generation of the source's database; empty if it has none
 * @param project the directory that the pattern begins at, absolute, without a slash at its end
 * @param holder who has reserved which paths
 * @param pattern the holder's pattern
 * @param expiresNs when it ends, in nanoseconds since 1970
 */
public record Reservation(
    long id,
    String generation,
    String project,
    Holder holder,
    PathPattern pattern,
    long expiresNs) {
  /** The same, of the paths that another pattern says. */
  Reservation by(PathPattern other) {
    return new Reservation(id, generation, project, holder, other, expiresNs);
  }

  /** Whether it has not ended at this time, in nanoseconds since 1970. */
  public boolean isActive(long nowNs) {
    return expiresNs > nowNs;
  }
}

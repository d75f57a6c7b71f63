package io.hypersync.leader.reservation;

import io.hypersync.model.hazard.Holder;
import io.hypersync.model.pattern.PathPattern;
import java.util.Objects;

/** Reservations for tests. */
public final class Held {
  private Held() {}

  /** One in a project. */
  public static Reservation of(
      String project, String agent, String pattern, boolean exclusive, long expiresNs) {
    return new Reservation(
        -1,
        "",
        project,
        new Holder(agent, pattern, exclusive),
        Objects.requireNonNull(PathPattern.of(pattern), pattern),
        expiresNs);
  }
}

package io.hypersync.leader.reservation;

import java.util.Locale;

/**
 * How much what is said of reservations can be relied on. Nothing known is not the same as nothing
 * reserved.
 *
 * @param source where reservations are read
 * @param isFresh whether the last successful look is not too long ago
 * @param ageNs how long ago that is; -1 if there was none
 * @param lastError why a look since then has failed; empty if none has
 */
public record SourceFreshness(Source source, boolean isFresh, long ageNs, String lastError) {
  /** A source that nobody could look at for longer than this is stale. */
  public static final long STALE_NS = 60_000_000_000L;

  /** Nothing is configured. */
  public static final SourceFreshness NONE = new SourceFreshness(Source.NONE, false, -1, "");

  /** Where reservations are read. */
  public enum Source {
    /** The files that Agent Mail writes. */
    ARCHIVE,
    /** Agent Mail's server, which is asked. */
    HTTP,
    /** Nowhere. */
    NONE;

    /** In reports: the name in lower case. */
    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Of a source whose last successful look was so long ago; -1 if there was none. */
  public static SourceFreshness of(Source source, long ageNs, String lastError) {
    return new SourceFreshness(source, ageNs >= 0 && ageNs <= STALE_NS, ageNs, lastError);
  }
}

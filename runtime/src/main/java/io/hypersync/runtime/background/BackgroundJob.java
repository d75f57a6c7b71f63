package io.hypersync.runtime.background;

import java.util.Locale;

/** A kind of work that replicas do by turns. One of each kind runs at a time in a process. */
public enum BackgroundJob {
  /** A snapshot whose time has come (13.1); not one that somebody has asked for. */
  SNAPSHOT,
  /** A collection of dead chunks that is due (14.2), on a disk with enough room. */
  COLLECTION,
  /** A scrub whose time has come. */
  SCRUB;

  /** As it stands in reports. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}

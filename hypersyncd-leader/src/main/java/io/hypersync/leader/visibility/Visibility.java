package io.hypersync.leader.visibility;

import java.util.Locale;

/** Where a change must be visible when the call that made it returns. */
public enum Visibility {
  /** On the mount that it was made on (hypersync.md 6.3). */
  OWN,
  /** On every mount that can write: all that are connected and keep up. */
  EVERYWHERE;

  /** The name in settings and commands. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}

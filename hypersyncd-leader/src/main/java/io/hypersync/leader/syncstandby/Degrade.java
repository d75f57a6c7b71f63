package io.hypersync.leader.syncstandby;

import java.util.Locale;

/** What a leader does without a standby that it waits for. */
public enum Degrade {
  /** It waits: nothing is acknowledged. */
  BLOCK,
  /** After a time it goes on without it, and says so. */
  ALONE;

  /** The name in settings and files. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}

package io.hypersync.cli.runtime;

import io.hypersync.cli.config.Configuration;
import io.hypersync.cli.config.Settings;
import java.time.Duration;

/**
 * How a daemon practises before it serves.
 *
 * @param limit for how long at most; zero for not at all
 * @param isAwaited whether it is ready only when that has ended
 */
public record Practising(Duration limit, boolean isAwaited) {
  /** Does not practise. */
  public static final Practising NOT = new Practising(Duration.ZERO, false);

  /** Of what mounts: its first callers find compiled code. */
  public static Practising beforeMount(Configuration configuration) {
    return new Practising(configuration.get(Settings.PRACTICE), true);
  }

  /** Of a leader, which serves others meanwhile. */
  public static Practising beside(Configuration configuration) {
    return new Practising(configuration.get(Settings.PRACTICE), false);
  }
}

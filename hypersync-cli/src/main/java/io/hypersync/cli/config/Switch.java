package io.hypersync.cli.config;

/** Whether something is done. */
public enum Switch {
  /** It is not. */
  OFF,
  /** It is. */
  ON
}

package io.hypersync.cli.config;

/**
 * How much a daemon says in its log: what is as grave as this, and what is graver. Those of
 * logback.
 */
public enum LogLevel {
  /** Nothing. */
  OFF,
  ERROR,
  WARN,
  INFO,
  DEBUG,
  TRACE,
  /** Everything. */
  ALL
}

package io.hypersync.cli.config;

/** How much a daemon says in its log: what is as grave as this, and what is graver. */
public enum LogLevel {
  ERROR,
  WARN,
  INFO,
  DEBUG,
  TRACE
}

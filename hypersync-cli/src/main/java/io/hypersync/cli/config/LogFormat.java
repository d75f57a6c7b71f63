package io.hypersync.cli.config;

/** How a daemon writes the lines of its log ({@code docs/logs.md}). */
public enum LogFormat {
  /** For people. */
  TEXT,
  /** One JSON object a line. */
  JSON
}

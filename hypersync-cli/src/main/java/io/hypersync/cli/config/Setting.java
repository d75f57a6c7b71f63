package io.hypersync.cli.config;

import org.jspecify.annotations.Nullable;

/**
 * One configurable value.
 *
 * @param <T> its value in Java
 * @param section the TOML table, such as {@code hypersync.leader}
 * @param name the key in that table
 * @param type which values are valid
 * @param defaultValue the value if none is given; null if that depends on something else, or if
 *     there is no default
 * @param doc what it does, one sentence; describes the default if defaultValue is null
 * @param changesWhileRunning whether a daemon that runs takes another value up; never true for what
 *     replicas must share
 */
public record Setting<T>(
    String section,
    String name,
    ValueType<T> type,
    @Nullable T defaultValue,
    String doc,
    boolean changesWhileRunning) {

  /** Returns the dotted key, such as {@code hypersync.leader.bind_address}. */
  public String key() {
    return section + "." + name;
  }
}

package io.hypersync.cli.config;

import org.jspecify.annotations.Nullable;

/**
 * One thing that can be configured.
 *
 * @param <T> its value in Java
 * @param section the TOML table, such as {@code hypersync.leader}
 * @param name the key in that table
 * @param type what a value may be
 * @param defaultValue what holds when nothing is said; null if that depends on something else, or
 *     if there is no default
 * @param doc what it does, one sentence; says what holds by default if defaultValue is null
 * @param inUse false if this version accepts and checks it only
 */
public record Setting<T>(
    String section,
    String name,
    ValueType<T> type,
    @Nullable T defaultValue,
    String doc,
    boolean inUse) {

  /** The dotted name, such as {@code hypersync.leader.bind_address}. */
  public String key() {
    return section + "." + name;
  }
}

package io.hypersync.cli.config;

import io.hypersync.runtime.admin.UserError;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Every setting's value: flags override the environment, which overrides the file, which overrides
 * defaults. The rules between settings ({@link ConfigurationRules}) hold.
 */
public final class Configuration {
  record Entry(Object value, Origin origin) {}

  private final Map<Setting<?>, Entry> entries;
  private final List<String> ignored;

  private Configuration(Map<Setting<?>, Entry> entries, List<String> ignored) {
    this.entries = entries;
    this.ignored = ignored;
  }

  /**
   * Overrides a file's values by flags. The rules between settings are not checked yet.
   *
   * @param ignored one line for each key that is ignored, for the log
   */
  static Configuration unchecked(
      Map<Setting<?>, Entry> file, Map<Setting<?>, Entry> flags, List<String> ignored) {
    Map<Setting<?>, Entry> entries = new HashMap<>(file);
    entries.putAll(flags);
    return new Configuration(Map.copyOf(entries), List.copyOf(ignored));
  }

  /**
   * The same, with the rules.
   *
   * @throws UserError if a rule is violated
   */
  static Configuration conclude(
      Map<Setting<?>, Entry> file, Map<Setting<?>, Entry> flags, List<String> ignored) {
    Configuration configuration = unchecked(file, flags, ignored);
    ConfigurationRules.check(configuration);
    return configuration;
  }

  /**
   * Returns this one with what another one says of some settings.
   *
   * @throws UserError if a rule between settings is violated then
   */
  public Configuration taking(Configuration other, Collection<Setting<?>> settings) {
    Map<Setting<?>, Entry> mixed = new HashMap<>(entries);
    for (Setting<?> setting : settings) {
      Entry entry = other.entries.get(setting);
      if (entry == null) {
        mixed.remove(setting);
      } else {
        mixed.put(setting, entry);
      }
    }
    return conclude(mixed, Map.of(), other.ignored);
  }

  /** Whether this one and another one have the same value of a setting. */
  public boolean agrees(Configuration other, Setting<?> setting) {
    return find(setting).equals(other.find(setting));
  }

  /**
   * Returns the value of a setting.
   *
   * @throws UserError if it was not given and has no default
   */
  public <T> T get(Setting<T> setting) {
    return find(setting)
        .orElseThrow(
            () ->
                new UserError(
                    setting.key() + " is not set: expected " + setting.type().expected(),
                    setting.doc(),
                    UserError.USAGE));
  }

  /** Returns the value of a setting; empty if it was not given and has no default. */
  @SuppressWarnings("unchecked") // safe: stored values were parsed by this setting's own type
  public <T> Optional<T> find(Setting<T> setting) {
    Entry entry = entries.get(setting);
    return entry == null
        ? Optional.ofNullable(setting.defaultValue())
        : Optional.of((T) entry.value());
  }

  /**
   * Returns a path made absolute: one from a file is relative to the file's directory, one from a
   * flag to the working directory. Empty if it was not given and has no default.
   */
  public Optional<Path> findPath(Setting<Path> setting) {
    return find(setting)
        .map(
            path ->
                switch (origin(setting)) {
                  case Origin.File(Path file, int _) ->
                      file.toAbsolutePath().resolveSibling(path).normalize();
                  case Origin.Flag _, Origin.Environment _, Origin.Default _ ->
                      path.toAbsolutePath().normalize();
                });
  }

  /** Whether the value came from a flag, and so is not in any file. */
  public boolean isByFlag(Setting<?> setting) {
    return origin(setting) instanceof Origin.Flag;
  }

  /** Whether a file or a flag gave a value. */
  public boolean isSet(Setting<?> setting) {
    return entries.containsKey(setting);
  }

  /**
   * Returns one line for each key that was given and is ignored: its origin, the key and the
   * reason.
   */
  public List<String> ignored() {
    return ignored;
  }

  /** Returns where the value came from. */
  public Origin origin(Setting<?> setting) {
    Entry entry = entries.get(setting);
    return entry == null ? new Origin.Default() : entry.origin();
  }
}

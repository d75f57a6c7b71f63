package io.hypersync.cli.config;

import io.hypersync.wire.admin.UserError;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Every setting's value: flags over the file over the defaults. Relations hold. */
public final class Configuration {
  /** A value and where it came from. */
  record Entry(Object value, Origin origin) {}

  private final Map<Setting<?>, Entry> entries;
  private final List<String> ignored;

  private Configuration(Map<Setting<?>, Entry> entries, List<String> ignored) {
    this.entries = entries;
    this.ignored = ignored;
  }

  /**
   * Puts flags over a file's values and checks how they go together.
   *
   * @param ignored what is to be said of keys that are ignored, a line each
   * @throws UserError if they do not
   */
  static Configuration conclude(
      Map<Setting<?>, Entry> file, Map<Setting<?>, Entry> flags, List<String> ignored) {
    Map<Setting<?>, Entry> entries = new HashMap<>(file);
    entries.putAll(flags);
    Configuration configuration = new Configuration(Map.copyOf(entries), List.copyOf(ignored));
    ConfigurationRules.check(configuration);
    return configuration;
  }

  /**
   * The value of a setting that has one in any case.
   *
   * @throws UserError if nothing was said and there is no default
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

  /** The value of a setting; empty if nothing was said and there is no default. */
  @SuppressWarnings("unchecked") // only a value that this setting's own type read is kept under it
  public <T> Optional<T> find(Setting<T> setting) {
    Entry entry = entries.get(setting);
    return entry == null
        ? Optional.ofNullable(setting.defaultValue())
        : Optional.of((T) entry.value());
  }

  /** A path, absolute: one in a file is relative to the file's folder, one of a flag to here. */
  public Optional<Path> findPath(Setting<Path> setting) {
    return find(setting)
        .map(
            path ->
                switch (origin(setting)) {
                  case Origin.File(Path file, int _) ->
                      file.toAbsolutePath().resolveSibling(path).normalize();
                  case Origin.Flag _, Origin.Default _ -> path.toAbsolutePath().normalize();
                });
  }

  /** Whether a flag gave the value: it was said for this time, and is in no file. */
  public boolean isByFlag(Setting<?> setting) {
    return origin(setting) instanceof Origin.Flag;
  }

  /** Whether it was said at all. */
  public boolean isSaid(Setting<?> setting) {
    return entries.containsKey(setting);
  }

  /** The settings that were said and that this version does not act on. */
  public List<Setting<?>> saidInVain() {
    return Settings.all().stream()
        .filter(setting -> !setting.inUse() && entries.containsKey(setting))
        .toList();
  }

  /** A line for each key that was said and is ignored: where, which, and why. */
  public List<String> ignored() {
    return ignored;
  }

  Origin origin(Setting<?> setting) {
    Entry entry = entries.get(setting);
    return entry == null ? new Origin.Default() : entry.origin();
  }
}

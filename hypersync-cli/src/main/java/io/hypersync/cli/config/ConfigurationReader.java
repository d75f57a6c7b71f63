package io.hypersync.cli.config;

import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.file.FileProblems;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.tomlj.Toml;
import org.tomlj.TomlArray;
import org.tomlj.TomlParseError;
import org.tomlj.TomlParseResult;
import org.tomlj.TomlPosition;
import org.tomlj.TomlTable;

/** Reads the configuration file and overrides it by flags. */
public final class ConfigurationReader {
  private final Map<Setting<?>, Configuration.Entry> flags = new LinkedHashMap<>();

  /** One line for each key that was given and that only earlier versions had. */
  private final List<String> ignored = new ArrayList<>();

  /**
   * Adds a flag that was given for a setting.
   *
   * @param flag as the user wrote it, such as {@code --bind}
   * @param text the flag's value
   * @throws UserError if that is not a valid value of the setting
   */
  public <T> void flag(String flag, Setting<T> setting, String text) {
    try {
      T value = setting.type().fromText().apply(text);
      flags.put(setting, new Configuration.Entry(value, new Origin.Flag(flag)));
    } catch (IllegalArgumentException malformed) {
      throw unexpected(new Origin.Flag(flag), setting, '"' + text + '"');
    }
  }

  /**
   * Adds a {@code KEY=VALUE} for any setting, named by its dotted key.
   *
   * @param flag the flag that it was given with, for errors
   * @throws UserError if there is no such setting or the value is not valid
   */
  public void assignment(String flag, String assignment) {
    int equals = assignment.indexOf('=');
    if (equals <= 0) {
      throw new UserError(
          flag + ": expected KEY=VALUE, got \"" + assignment + '"',
          "For example: " + flag + " hypersync.leader.batch_max_ops=200",
          UserError.USAGE);
    }
    String key = assignment.substring(0, equals);
    if (isIgnored(new Origin.Flag(flag), key)) {
      return;
    }
    Setting<?> setting = Settings.find(key).orElseThrow(() -> unknown(new Origin.Flag(flag), key));
    flag(flag, setting, assignment.substring(equals + 1));
  }

  /**
   * Returns flags over defaults, without a file.
   *
   * @throws UserError if a rule between settings is violated
   */
  public Configuration withoutFile() {
    return Configuration.conclude(Map.of(), flags, ignored);
  }

  /**
   * Returns flags over a file over defaults.
   *
   * @throws UserError naming the file, the line, the key and what was expected
   */
  public Configuration withFile(Path file) {
    Map<Setting<?>, Configuration.Entry> entries = read(file);
    return Configuration.conclude(entries, flags, ignored);
  }

  private boolean isIgnored(Origin origin, String key) {
    Optional<String> why = Settings.retired(key);
    why.ifPresent(reason -> ignored.add(origin + ": " + key + " is ignored: " + reason));
    return why.isPresent();
  }

  private Map<Setting<?>, Configuration.Entry> read(Path file) {
    if (Files.notExists(file)) {
      throw new UserError(
          "there is no configuration file " + file,
          "Make a workspace with one: ./hypersync init <dir>\nor name another: --config <file>",
          UserError.USAGE);
    }
    TomlParseResult toml;
    try {
      toml = Toml.parse(file);
    } catch (IOException failure) {
      throw new UserError(
          "cannot read the configuration file " + file + ": " + FileProblems.describe(failure),
          FileProblems.hint(failure, ""),
          UserError.USAGE);
    }
    if (toml.hasErrors()) {
      TomlParseError first = toml.errors().getFirst();
      throw new UserError(
          file + ":" + first.position().line() + ": not TOML: " + first.getMessage(),
          "",
          UserError.USAGE);
    }
    Map<Setting<?>, Configuration.Entry> entries = new HashMap<>();
    readTable(file, toml, List.of(), entries);
    return entries;
  }

  private void readTable(
      Path file, TomlTable table, List<String> path, Map<Setting<?>, Configuration.Entry> entries) {
    for (String name : table.keySet()) {
      List<String> inner = new ArrayList<>(path);
      inner.add(name);
      String key = String.join(".", inner);
      Origin.File origin = new Origin.File(file, line(table.inputPositionOf(List.of(name))));
      Object value = table.get(List.of(name));
      Optional<Setting<?>> setting = Settings.find(key);
      if (setting.isPresent()) {
        entries.put(setting.get(), entry(origin, setting.get(), value));
      } else if (value instanceof TomlTable child && isSectionOrAboveOne(key)) {
        readTable(file, child, inner, entries);
      } else if (!isIgnored(origin, key)) {
        throw unknown(origin, key);
      }
    }
  }

  private static <T> Configuration.Entry entry(
      Origin origin, Setting<T> setting, @Nullable Object value) {
    try {
      return new Configuration.Entry(
          setting.type().fromToml().apply(Objects.requireNonNull(value)), origin);
    } catch (IllegalArgumentException | ClassCastException malformed) {
      throw unexpected(origin, setting, describe(value));
    }
  }

  private static boolean isSectionOrAboveOne(String key) {
    return Settings.sections().stream()
        .anyMatch(section -> section.equals(key) || section.startsWith(key + "."));
  }

  private static UserError unexpected(Origin origin, Setting<?> setting, String got) {
    return new UserError(
        origin + ": " + setting.key() + ": expected " + setting.type().expected() + ", got " + got,
        setting.doc(),
        UserError.USAGE);
  }

  private static UserError unknown(Origin origin, String key) {
    int dot = key.lastIndexOf('.');
    String section = key.substring(0, Math.max(dot, 0));
    List<String> known =
        Settings.all().stream()
            .filter(setting -> setting.section().equals(section))
            .map(Setting::name)
            .toList();
    if (known.isEmpty()) {
      return new UserError(
          origin + ": unknown key \"" + key + '"',
          "The sections are: "
              + Settings.sections().stream()
                  .map(name -> "[" + name + "]")
                  .collect(Collectors.joining(" ")),
          UserError.USAGE);
    }
    List<String> candidates = new ArrayList<>(known);
    Settings.sections().stream()
        .filter(name -> name.startsWith(section + "."))
        .forEach(name -> candidates.add(name.substring(section.length() + 1)));
    String suggestion =
        Spelling.nearest(key.substring(dot + 1), candidates)
            .map(name -> "; did you mean \"" + name + "\"?")
            .orElse("");
    return new UserError(
        origin + ": unknown key \"" + key + '"' + suggestion,
        "[" + section + "] has: " + String.join(", ", known),
        UserError.USAGE);
  }

  private static String describe(@Nullable Object value) {
    return switch (value) {
      case null -> "nothing";
      case String text -> '"' + text + '"';
      case Long number -> "the number " + number;
      case Double number -> "the number " + number;
      case Boolean truth -> truth.toString();
      case TomlArray _ -> "an array";
      case TomlTable _ -> "a table";
      default -> "the date or time " + value;
    };
  }

  private static int line(@Nullable TomlPosition position) {
    return position == null ? 1 : position.line();
  }
}

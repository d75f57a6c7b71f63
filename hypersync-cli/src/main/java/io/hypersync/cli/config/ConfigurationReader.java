package io.hypersync.cli.config;

import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.file.FileProblems;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.tomlj.Toml;
import org.tomlj.TomlArray;
import org.tomlj.TomlParseError;
import org.tomlj.TomlParseResult;
import org.tomlj.TomlPosition;
import org.tomlj.TomlTable;

/** Reads the configuration file and overrides it by the environment and by flags. */
public final class ConfigurationReader {
  private final Map<Setting<?>, Configuration.Entry> environment = new LinkedHashMap<>();
  private final Map<Setting<?>, Configuration.Entry> flags = new LinkedHashMap<>();

  /** One line for each flag that was given and that only earlier versions had. */
  private final List<String> ignoredFlags = new ArrayList<>();

  /** Reads without an environment. */
  public ConfigurationReader() {}

  /**
   * Reads what variables of an environment say of settings.
   *
   * @throws UserError if one of them has no valid value
   */
  public ConfigurationReader(Map<String, String> variables) {
    Settings.byVariable()
        .forEach(
            (variable, setting) -> {
              String text = variables.get(variable);
              if (text != null && !text.isBlank()) {
                put(environment, new Origin.Environment(variable), setting, text.strip());
              }
            });
  }

  /**
   * Adds a flag that was given for a setting.
   *
   * @param flag as the user wrote it, such as {@code --bind}
   * @param text the flag's value
   * @throws UserError if that is not a valid value of the setting
   */
  public <T> void flag(String flag, Setting<T> setting, String text) {
    put(flags, new Origin.Flag(flag), setting, text);
  }

  private static <T> void put(
      Map<Setting<?>, Configuration.Entry> entries,
      Origin origin,
      Setting<T> setting,
      String text) {
    // What programs know in capitals, such as the level of a log, is taken so from the environment.
    String spelled = origin instanceof Origin.Environment ? text.toLowerCase(Locale.ROOT) : text;
    try {
      entries.put(
          setting, new Configuration.Entry(setting.type().fromText().apply(spelled), origin));
    } catch (IllegalArgumentException malformed) {
      throw unexpected(origin, setting, '"' + text + '"').error();
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
    if (isIgnored(new Origin.Flag(flag), key, ignoredFlags)) {
      return;
    }
    Setting<?> setting =
        Settings.find(key).orElseThrow(() -> unknown(new Origin.Flag(flag), key).error());
    flag(flag, setting, assignment.substring(equals + 1));
  }

  /**
   * Returns flags over defaults, without a file.
   *
   * @throws UserError if a rule between settings is violated
   */
  public Configuration withoutFile() {
    return Configuration.conclude(Map.of(), over(), ignoredFlags);
  }

  /**
   * Returns flags over a file over defaults. May be called again: the file is read again.
   *
   * @throws UserError naming the file, the line, the key and what was expected, of the first thing
   *     that is wrong
   */
  public Configuration withFile(Path file) {
    Reading reading = read(file);
    if (!reading.problems.isEmpty()) {
      throw reading.problems.getFirst().error();
    }
    return Configuration.conclude(reading.entries, over(), reading.ignored);
  }

  /**
   * Returns all that is wrong with a file, in the order of its lines.
   *
   * @throws UserError if it cannot be read
   */
  public List<Problem> problems(Path file) {
    Reading reading = read(file);
    List<Problem> problems = new ArrayList<>(reading.problems);
    problems.addAll(
        ConfigurationRules.problems(
            Configuration.unchecked(reading.entries, over(), reading.ignored), reading.broken));
    problems.sort(Comparator.comparingInt(Problem::line));
    return problems;
  }

  /** What is over a file. */
  private Map<Setting<?>, Configuration.Entry> over() {
    Map<Setting<?>, Configuration.Entry> over = new HashMap<>(environment);
    over.putAll(flags);
    return over;
  }

  /** What was found in one file. */
  private static final class Reading {
    private final Map<Setting<?>, Configuration.Entry> entries = new HashMap<>();
    private final List<Problem> problems = new ArrayList<>();
    private final Set<Setting<?>> broken = new HashSet<>();
    private final List<String> ignored = new ArrayList<>();
  }

  private static boolean isIgnored(Origin origin, String key, List<String> ignored) {
    Optional<String> why = Settings.retired(key);
    why.ifPresent(reason -> ignored.add(origin + ": " + key + " is ignored: " + reason));
    return why.isPresent();
  }

  private Reading read(Path file) {
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
    Reading reading = new Reading();
    reading.ignored.addAll(ignoredFlags);
    for (TomlParseError error : toml.errors()) {
      reading.problems.add(
          new Problem(
              new Origin.File(file, error.position().line()),
              "not TOML: " + error.getMessage(),
              ""));
    }
    if (reading.problems.isEmpty()) { // else what it says is not what was meant
      readTable(file, toml, List.of(), reading);
    }
    return reading;
  }

  private static void readTable(Path file, TomlTable table, List<String> path, Reading reading) {
    for (String name : table.keySet()) {
      List<String> inner = new ArrayList<>(path);
      inner.add(name);
      String key = String.join(".", inner);
      Origin.File origin = new Origin.File(file, line(table.inputPositionOf(List.of(name))));
      Object value = table.get(List.of(name));
      Optional<Setting<?>> setting = Settings.find(key);
      if (setting.isPresent()) {
        take(origin, setting.get(), value, reading);
      } else if (value instanceof TomlTable child && isSectionOrAboveOne(key)) {
        readTable(file, child, inner, reading);
      } else if (!isIgnored(origin, key, reading.ignored)) {
        reading.problems.add(unknown(origin, key));
      }
    }
  }

  private static <T> void take(
      Origin origin, Setting<T> setting, @Nullable Object value, Reading reading) {
    try {
      T read = setting.type().fromToml().apply(Objects.requireNonNull(value));
      reading.entries.put(setting, new Configuration.Entry(read, origin));
    } catch (IllegalArgumentException | ClassCastException malformed) {
      reading.problems.add(unexpected(origin, setting, describe(value)));
      reading.broken.add(setting);
    }
  }

  private static boolean isSectionOrAboveOne(String key) {
    return Settings.sections().stream()
        .anyMatch(section -> section.equals(key) || section.startsWith(key + "."));
  }

  private static Problem unexpected(Origin origin, Setting<?> setting, String got) {
    return new Problem(
        origin,
        setting.key() + ": expected " + setting.type().expected() + ", got " + Masked.text(got),
        setting.doc());
  }

  private static Problem unknown(Origin origin, String key) {
    int dot = key.lastIndexOf('.');
    String section = key.substring(0, Math.max(dot, 0));
    List<String> known =
        Settings.all().stream()
            .filter(setting -> setting.section().equals(section))
            .map(Setting::name)
            .toList();
    if (known.isEmpty()) {
      return new Problem(
          origin,
          "unknown key \"" + key + '"' + nearestSection(key),
          "The sections are: "
              + Settings.sections().stream()
                  .map(name -> "[" + name + "]")
                  .collect(Collectors.joining(" ")));
    }
    List<String> candidates = new ArrayList<>(known);
    Settings.sections().stream()
        .filter(name -> name.startsWith(section + "."))
        .forEach(name -> candidates.add(name.substring(section.length() + 1)));
    String suggestion =
        Spelling.nearest(key.substring(dot + 1), candidates)
            .map(name -> "; did you mean \"" + name + "\"?")
            .orElse("");
    return new Problem(
        origin,
        "unknown key \"" + key + '"' + suggestion,
        "[" + section + "] has: " + String.join(", ", known));
  }

  private static String nearestSection(String key) {
    return Spelling.nearest(key, Settings.sections())
        .map(name -> "; did you mean [" + name + "]?")
        .orElse("");
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

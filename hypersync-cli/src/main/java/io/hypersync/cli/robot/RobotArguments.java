package io.hypersync.cli.robot;

import io.hypersync.cli.robot.RobotError.Code;
import io.hypersync.runtime.admin.RunDirectory;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The words of a robot command, read without reflection.
 *
 * @param action what to do
 * @param options by their names; those without a value have an empty one
 * @param words what is no option
 */
record RobotArguments(RobotAction action, Map<String, String> options, List<String> words) {
  private static final Pattern DURATION = Pattern.compile("(\\d{1,9})(s|m|h|d)");

  /**
   * Reads words, without {@code robot} before them.
   *
   * @throws RobotError if they make no sense
   */
  static RobotArguments parse(List<String> args) {
    if (args.isEmpty()) {
      throw new RobotError(Code.MISSING_REQUIRED, "robot: what? One of " + actions(), "");
    }
    RobotAction action =
        RobotAction.of(args.getFirst())
            .orElseThrow(
                () ->
                    new RobotError(
                        Code.INVALID_ARGS,
                        "robot: there is no \"" + args.getFirst() + '"',
                        "One of " + actions()));
    Map<String, String> options = new HashMap<>();
    List<String> words = new ArrayList<>();
    for (int i = 1; i < args.size(); i++) {
      String word = args.get(i);
      if (word.equals("--")) {
        words.addAll(args.subList(i + 1, args.size()));
        break;
      }
      if (!word.startsWith("-")) {
        words.add(word);
        continue;
      }
      int equals = word.indexOf('=');
      String option = equals < 0 ? word : word.substring(0, equals);
      if (!action.takes(option)) {
        throw new RobotError(
            Code.INVALID_FLAG,
            "robot " + action.word() + ": there is no option " + option,
            "See: hypersync robot --help");
      }
      String value = "";
      if (!RobotAction.FLAGS.contains(option)) {
        if (equals < 0 && i + 1 == args.size()) {
          throw new RobotError(Code.MISSING_REQUIRED, option + " needs a value", "");
        }
        value = equals < 0 ? args.get(++i) : word.substring(equals + 1);
      } else if (equals >= 0) {
        throw new RobotError(Code.INVALID_FLAG, option + " takes no value", "");
      }
      options.put(option, value);
    }
    if (action != RobotAction.WHO && !words.isEmpty()) {
      throw new RobotError(
          Code.INVALID_ARGS,
          "robot " + action.word() + " takes no \"" + words.getFirst() + '"',
          "See: hypersync robot --help");
    }
    return new RobotArguments(action, Map.copyOf(options), List.copyOf(words));
  }

  boolean has(String option) {
    return options.containsKey(option);
  }

  Optional<String> text(String option) {
    return Optional.ofNullable(options.get(option));
  }

  /**
   * A whole number.
   *
   * @throws RobotError if it is none, or out of range
   */
  int number(String option, int min, int max, int otherwise) {
    String given = options.get(option);
    if (given == null) {
      return otherwise;
    }
    try {
      int number = Integer.parseInt(given);
      if (number >= min && number <= max) {
        return number;
      }
    } catch (NumberFormatException none) {
      // It is refused below, as one out of range.
    }
    throw new RobotError(
        Code.INVALID_ARGS,
        option + ": expected a whole number from " + min + " to " + max + ", got \"" + given + '"',
        "");
  }

  /**
   * A duration such as {@code 10m}; empty if the option is not given.
   *
   * @throws RobotError if it is none
   */
  Optional<Duration> duration(String option) {
    String given = options.get(option);
    if (given == null) {
      return Optional.empty();
    }
    Matcher parts = DURATION.matcher(given);
    if (!parts.matches()) {
      throw new RobotError(
          Code.INVALID_ARGS,
          option + ": expected a duration such as 10m, got \"" + given + '"',
          "Units: s, m, h, d.");
    }
    long number = Long.parseLong(parts.group(1));
    return Optional.of(
        switch (parts.group(2)) {
          case "s" -> Duration.ofSeconds(number);
          case "m" -> Duration.ofMinutes(number);
          case "h" -> Duration.ofHours(number);
          default -> Duration.ofDays(number);
        });
  }

  /** Where daemons are looked for. */
  RunDirectory runDirectory(Map<String, String> environment) {
    String given = options.get("--run-dir");
    if (given == null) {
      return RunDirectory.of(environment);
    }
    try {
      return new RunDirectory(Path.of(given).toAbsolutePath());
    } catch (InvalidPathException e) {
      throw new RobotError(Code.INVALID_ARGS, "--run-dir: " + e.getMessage(), "");
    }
  }

  private static String actions() {
    return Arrays.stream(RobotAction.values())
        .map(RobotAction::word)
        .collect(Collectors.joining(", "));
  }
}

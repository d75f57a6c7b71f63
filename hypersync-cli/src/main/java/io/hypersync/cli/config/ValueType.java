package io.hypersync.cli.config;

import io.hypersync.model.id.WorkerId;
import io.hypersync.wire.pki.EnrolmentToken;
import io.hypersync.worker.FuseBackend;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Which values a setting may have, and how they are read from TOML and from a flag.
 *
 * @param <T> the value in Java
 * @param expected completes "expected ..." in an error
 * @param units those that a value is written with, with commas between them; empty for none
 * @param fromToml converts a value of the TOML parser; throws IllegalArgumentException or
 *     ClassCastException if it is not valid
 * @param fromText parses the text of a flag; throws IllegalArgumentException if it is not valid
 * @param toToml writes a value as TOML
 */
public record ValueType<T>(
    String expected,
    String units,
    Function<Object, T> fromToml,
    Function<String, T> fromText,
    Function<T, String> toToml) {
  /** Linux takes names of up to 15 bytes. */
  private static final Pattern INTERFACE = Pattern.compile("[^\\s/:]{0,15}");

  private static final String TIMES = "us, ms, s, m, h, d";
  private static final String SIZES = "B, KiB, MiB, GiB, kB, MB, GB";

  static ValueType<Boolean> bool() {
    return new ValueType<>(
        "true or false",
        "",
        Boolean.class::cast,
        text ->
            switch (text) {
              case "true" -> true;
              case "false" -> false;
              default -> throw new IllegalArgumentException(text);
            },
        String::valueOf);
  }

  static ValueType<Long> integer(long min, long max) {
    Function<Long, Long> check = inRange(min, max);
    return new ValueType<>(
        "a whole number from " + min + " to " + max,
        "",
        toml -> check.apply((Long) toml),
        text -> check.apply(Long.parseLong(text)),
        String::valueOf);
  }

  static ValueType<Double> fraction(double min, double max) {
    Function<Double, Double> check = inRange(min, max);
    return new ValueType<>(
        "a number from " + min + " to " + max,
        "",
        toml -> check.apply(((Number) toml).doubleValue()),
        text -> check.apply(Double.parseDouble(text)),
        String::valueOf);
  }

  static ValueType<Duration> duration(Duration min, Duration max) {
    return text(
        "a duration from "
            + Units.formatDuration(min)
            + " to "
            + Units.formatDuration(max)
            + ", such as \"250ms\" or \"5m\" (units: "
            + TIMES
            + ")",
        TIMES,
        inRange(min, max).compose(Units::parseDuration),
        Units::formatDuration);
  }

  static ValueType<Long> size(long min, long max) {
    return text(
        "a size from "
            + Units.formatSize(min)
            + " to "
            + Units.formatSize(max)
            + ", such as \"64KiB\" or \"1MiB\" (units: "
            + SIZES
            + ")",
        SIZES,
        inRange(min, max).compose(Units::parseSize),
        Units::formatSize);
  }

  static ValueType<HostPort> address() {
    return text(
        "an address such as \"10.0.0.1:7890\" or \"[::1]:7890\"",
        HostPort::parse,
        HostPort::toString);
  }

  /** One to eight addresses, with commas between them. */
  static ValueType<List<HostPort>> addresses() {
    return text(
        "an address such as \"10.0.0.1:7890\" or \"[::1]:7890\", or several with commas between"
            + " them",
        ValueType::parseAddresses,
        addresses -> addresses.stream().map(HostPort::toString).collect(Collectors.joining(",")));
  }

  private static List<HostPort> parseAddresses(String text) {
    List<HostPort> addresses =
        Arrays.stream(text.split(",", -1)).map(String::strip).map(HostPort::parse).toList();
    if (addresses.size() > EnrolmentToken.MAX_LEADERS) {
      throw new IllegalArgumentException("more than " + EnrolmentToken.MAX_LEADERS);
    }
    return addresses;
  }

  static ValueType<HostPort> multicastGroup() {
    return text(
        "a multicast address and a port such as \"239.255.72.83:7471\" or \"[ff15::4853]:7471\"",
        ValueType::parseGroup,
        HostPort::toString);
  }

  private static HostPort parseGroup(String text) {
    HostPort group = HostPort.parse(text);
    if (group.port() == 0 || !InetAddress.ofLiteral(group.host()).isMulticastAddress()) {
      throw new IllegalArgumentException("not a multicast group: " + text);
    }
    return group;
  }

  /** The name of a network interface, or nothing. */
  static ValueType<String> interfaceName() {
    return text(
        "the name of a network interface, or \"\"", ValueType::parseInterface, name -> name);
  }

  private static String parseInterface(String text) {
    if (!INTERFACE.matcher(text).matches()) {
      throw new IllegalArgumentException("not an interface: " + text);
    }
    return text;
  }

  static ValueType<Path> path() {
    return text("a path", ValueType::nonEmptyPath, Path::toString);
  }

  /** An absolute path without a slash at its end, or no text at all. */
  static ValueType<String> absolutePathOrNone() {
    return text(
        "an absolute path, or \"\" for none",
        text -> text.isBlank() ? "" : absolutePath(text),
        Function.identity());
  }

  /** Absolute paths without a slash at their end, with commas between them; may be none. */
  static ValueType<List<String>> absolutePaths() {
    return text(
        "absolute paths with commas between them",
        text ->
            Arrays.stream(text.split(","))
                .filter(path -> !path.isBlank())
                .map(ValueType::absolutePath)
                .toList(),
        paths -> String.join(",", paths));
  }

  /** The address of a store with compare-and-swap, or no text at all. */
  static ValueType<String> lockStoreOrNone() {
    return text(
        "\"nats://<host:port>\", several with commas between, \"file:<dir>\", or \"\" for none",
        text -> text.isBlank() ? "" : lockStore(text.strip()),
        Function.identity());
  }

  private static String lockStore(String text) {
    if (text.startsWith("file:")) {
      return "file:" + absolutePath(text.substring("file:".length()));
    }
    for (String server : text.split(",", -1)) {
      if (!server.startsWith("nats://") && !server.startsWith("tls://")) {
        throw new IllegalArgumentException("no store: " + text);
      }
    }
    return text;
  }

  /** Any text of one line. */
  static ValueType<String> plain() {
    return text("a text", Function.identity(), Function.identity());
  }

  /** An address of HTTP, or no text at all. */
  static ValueType<String> httpUrlOrNone() {
    return text(
        "a URL such as \"http://127.0.0.1:8765/mcp/\", or \"\" for none",
        text -> text.isBlank() ? "" : httpUrl(text.strip()),
        Function.identity());
  }

  private static String httpUrl(String text) {
    URI url = URI.create(text);
    boolean isHttp = "http".equals(url.getScheme()) || "https".equals(url.getScheme());
    if (!isHttp || url.getHost() == null || url.getUserInfo() != null) {
      throw new IllegalArgumentException("no URL of HTTP: " + text);
    }
    return text;
  }

  /** Names of workers, with commas between them; may be none. */
  static ValueType<List<WorkerId>> workerIds(int most) {
    return text(
        "at most " + most + " names as in tokens, with commas between them",
        text -> {
          List<WorkerId> names =
              Arrays.stream(text.split(","))
                  .map(String::strip)
                  .filter(name -> !name.isEmpty())
                  .map(WorkerId::new)
                  .distinct()
                  .toList();
          if (names.size() > most) {
            throw new IllegalArgumentException(names.size() + " names");
          }
          return names;
        },
        names -> names.stream().map(WorkerId::name).collect(Collectors.joining(",")));
  }

  static ValueType<WorkerId> workerId() {
    return text(
        "a worker's name: 1 to 63 letters, digits, '.', '_' or '-', starting with a letter or"
            + " digit",
        WorkerId::new,
        WorkerId::name);
  }

  static ValueType<Role> role() {
    return text("\"leader\" or \"worker\"", Role::parse, Role::text);
  }

  /** One of the names of an enum, in lower case. */
  static <E extends Enum<E>> ValueType<E> choice(Class<E> type) {
    E[] values = type.getEnumConstants();
    String expected =
        Arrays.stream(values)
            .map(value -> '"' + value.name().toLowerCase(Locale.ROOT) + '"')
            .collect(Collectors.joining(", "));
    return text(
        "one of " + expected,
        name ->
            Arrays.stream(values)
                .filter(value -> value.name().toLowerCase(Locale.ROOT).equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("unknown: " + name)),
        value -> value.name().toLowerCase(Locale.ROOT));
  }

  static ValueType<FuseBackend> fuseBackend() {
    return text("\"kernel\" or \"jnr\"", FuseBackend::parse, FuseBackend::text);
  }

  private static <T> ValueType<T> text(
      String expected, Function<String, T> parse, Function<T, String> format) {
    return text(expected, "", parse, format);
  }

  private static <T> ValueType<T> text(
      String expected, String units, Function<String, T> parse, Function<T, String> format) {
    return new ValueType<>(
        expected,
        units,
        toml -> parse.apply((String) toml),
        parse,
        value -> '"' + format.apply(value) + '"');
  }

  private static <T extends Comparable<T>> Function<T, T> inRange(T min, T max) {
    return value -> {
      if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
        throw new IllegalArgumentException("out of range: " + value);
      }
      return value;
    };
  }

  private static String absolutePath(String text) {
    Path path = Path.of(text.strip()).normalize();
    if (!path.isAbsolute()) {
      throw new IllegalArgumentException("relative: " + text);
    }
    return path.toString();
  }

  private static Path nonEmptyPath(String text) {
    if (text.isBlank()) {
      throw new IllegalArgumentException("empty");
    }
    return Path.of(text);
  }
}

package io.hypersync.worker.identity;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** Some variables of a process's environment; their values are strings of bytes. */
final class Environment {
  private final Map<String, String> values;

  private Environment(Map<String, String> values) {
    this.values = values;
  }

  /** The variables of these names; of two with one name the first counts, as for getenv(3). */
  static Environment of(byte[] block, Set<String> names) {
    Map<String, String> values = new HashMap<>();
    int start = 0;
    while (start < block.length) {
      int end = start;
      int equals = -1;
      while (end < block.length && block[end] != 0) {
        if (block[end] == '=' && equals < 0) {
          equals = end;
        }
        end++;
      }
      // What has no NUL behind it was cut.
      if (equals > start && end < block.length) {
        String name = text(block, start, equals);
        if (names.contains(name)) {
          values.putIfAbsent(name, text(block, equals + 1, end));
        }
      }
      start = end + 1;
    }
    return new Environment(values);
  }

  /** The value; empty if there is none. */
  String get(String name) {
    return values.getOrDefault(name, "");
  }

  private static String text(byte[] block, int from, int to) {
    return new String(Arrays.copyOfRange(block, from, to), StandardCharsets.ISO_8859_1);
  }
}

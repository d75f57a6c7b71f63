package io.hypersync.leader.hazard;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * Tells whether a symbolic link leads out of the workspace (hypersync.md 7.1.1): then it leads to
 * other files on each host. Nothing is looked up; a relative target stays inside, as far as anybody
 * can say without that.
 */
final class SymlinkTargets {
  private final List<String> places;

  /**
   * Knows where the workspace is.
   *
   * @param places absolute paths at which agents see it, and those that it may lead to
   */
  SymlinkTargets(List<String> places) {
    this.places = places.stream().map(SymlinkTargets::plain).toList();
  }

  /** Whether a target is absolute and in none of the places. */
  boolean leaves(byte[] target) {
    if (target.length == 0 || target[0] != '/') {
      return false;
    }
    // Bytes as characters: a target need not be valid in any encoding.
    String path = plain(new String(target, StandardCharsets.ISO_8859_1));
    return places.stream().noneMatch(place -> path.equals(place) || path.startsWith(place + "/"));
  }

  /** Without empty names, single and double dots. */
  private static String plain(String path) {
    Deque<String> names = new ArrayDeque<>();
    for (String name : path.split("/", -1)) {
      if (name.equals("..")) {
        names.pollLast();
      } else if (!name.isEmpty() && !name.equals(".")) {
        names.addLast(name);
      }
    }
    return "/" + String.join("/", names);
  }
}

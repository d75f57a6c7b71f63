package io.hypersync.leader.reservation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A pattern of paths with the rules of gitignore: one without a slash is found at any depth, {@code
 * **} is any number of directories, and what is below a directory that matches, matches too. A
 * slash at the start means nothing, as Agent Mail has it. Letters differ by case.
 */
public final class PathPattern {
  private static final String DIRECTORIES = "**";

  /** Stands for any number of names. */
  private static final @Nullable Glob ANY_NUMBER = null;

  private final List<String> written;
  private final boolean onlyDirectories;
  private final List<@Nullable Glob> names;
  private final boolean floats;

  private PathPattern(
      List<String> written, boolean onlyDirectories, List<@Nullable Glob> names, boolean floats) {
    this.written = written;
    this.onlyDirectories = onlyDirectories;
    this.names = names;
    this.floats = floats;
  }

  /**
   * The pattern of a text; null if it is none: empty, a comment, a negation, or with {@code ..} in
   * it.
   */
  static @Nullable PathPattern of(String text) {
    String trimmed = text.strip();
    if (trimmed.startsWith("#") || trimmed.startsWith("!")) {
      return null;
    }
    List<String> parts =
        Arrays.stream(trimmed.split("/"))
            .filter(part -> !part.isEmpty() && !part.equals("."))
            .toList();
    if (parts.isEmpty() || parts.contains("..")) {
      return null;
    }
    boolean floats = parts.size() == 1;
    List<@Nullable Glob> names = new ArrayList<>();
    if (floats) {
      names.add(ANY_NUMBER);
    }
    for (String part : parts) {
      if (!part.equals(DIRECTORIES)) {
        names.add(Glob.of(part));
      } else if (names.isEmpty() || names.getLast() != ANY_NUMBER) {
        names.add(ANY_NUMBER);
      }
    }
    if (names.getLast() == ANY_NUMBER) {
      names.add(Glob.ANY); // what is below the directory, and not itself
    }
    return new PathPattern(parts, trimmed.endsWith("/"), names, floats);
  }

  /** The names that it is written with, as if it were a path. */
  List<String> written() {
    return written;
  }

  /** The first names of all paths that match; empty if they have none in common. */
  List<String> place() {
    List<String> place = new ArrayList<>();
    for (Glob name : names) {
      String literal = name == null ? null : name.literal();
      if (literal == null) {
        break;
      }
      place.add(literal);
    }
    return place;
  }

  /** The name that each path has in it that matches; null if it is not known. */
  @Nullable String anywhere() {
    Glob last = names.getLast();
    return floats && last != null ? last.literal() : null;
  }

  /**
   * Whether a path matches; false if that is not found within the budget.
   *
   * @param path its names
   * @param from the first of its names that counts
   * @param isDirectory whether it leads to a directory
   */
  boolean matches(List<String> path, int from, boolean isDirectory, MatchBudget budget) {
    // A name more is needed behind a directory, and then there may be any number.
    int needed = onlyDirectories && !isDirectory ? 1 : 0;
    int end = path.size() - needed;
    int name = 0;
    int at = from;
    int star = -1; // the latest ANY_NUMBER, which takes more names when what follows differs
    int taken = 0;
    while (name < names.size()) {
      if (!budget.spend()) {
        return false;
      }
      Glob glob = names.get(name);
      if (glob == ANY_NUMBER) {
        star = name;
        taken = at;
        name++;
      } else if (at < end && glob.matches(path.get(at), budget)) {
        name++;
        at++;
      } else if (star >= 0 && taken < end) {
        taken++;
        at = taken;
        name = star + 1;
      } else {
        return false;
      }
    }
    return at <= end;
  }
}

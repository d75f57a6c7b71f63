package io.hypersync.model.pattern;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A pattern of paths with the rules of gitignore: one without a slash is found at any depth, {@code
 * **} is any number of directories, and what is below a directory that matches, matches too.
 * Letters differ by case. Names and patterns are compared character by character: whoever wants
 * bytes to be compared decodes both as ISO 8859-1.
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
   * The pattern of a reservation; null if the text is none: empty, a comment, a negation, or with
   * {@code ..} in it. A slash at the start means nothing, as Agent Mail has it.
   */
  public static @Nullable PathPattern of(String text) {
    String trimmed = text.strip();
    if (trimmed.startsWith("#") || trimmed.startsWith("!")) {
      return null;
    }
    List<String> parts =
        Arrays.stream(trimmed.split("/"))
            .filter(part -> !part.isEmpty() && !part.equals("."))
            .toList();
    return parts.isEmpty() || parts.contains("..")
        ? null
        : of(parts, trimmed.endsWith("/"), parts.size() == 1);
  }

  /**
   * The pattern of a line of an ignore file, without a {@code !} at its start: a slash at its start
   * or inside says that it begins at the root. Null if it can match no path: it has no name, or one
   * that is {@code .} or {@code ..}, or two slashes without a name between them.
   */
  public static @Nullable PathPattern ofIgnoreLine(String line) {
    String names = line.startsWith("/") ? line.substring(1) : line;
    boolean onlyDirectories = names.endsWith("/");
    names = onlyDirectories ? names.substring(0, names.length() - 1) : names;
    List<String> parts = List.of(names.split("/", -1));
    if (parts.contains("") || parts.contains(".") || parts.contains("..")) {
      return null;
    }
    return of(parts, onlyDirectories, parts.size() == 1 && !line.startsWith("/"));
  }

  private static PathPattern of(List<String> parts, boolean onlyDirectories, boolean floats) {
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
    return new PathPattern(parts, onlyDirectories, names, floats);
  }

  /** The names that it is written with, as if it were a path. */
  public List<String> written() {
    return written;
  }

  /** The first names of all paths that match; empty if they have none in common. */
  public List<String> place() {
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
  public @Nullable String anywhere() {
    Glob last = names.getLast();
    return floats && last != null ? last.literal() : null;
  }

  /**
   * Whether a path matches, or is below a directory that does; false if that is not found within
   * the budget.
   *
   * @param path its names
   * @param from the first of its names that counts
   * @param isDirectory whether it leads to a directory
   */
  public boolean matches(List<String> path, int from, boolean isDirectory, MatchBudget budget) {
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

  /**
   * Whether the first names of a path lead to something that matches itself, and not only by what
   * is above it; false if that is not found within the budget.
   *
   * @param path its names
   * @param end how many of them count, at least 1
   * @param isDirectory whether they lead to a directory
   */
  public boolean leadsTo(List<String> path, int end, boolean isDirectory, MatchBudget budget) {
    if (onlyDirectories && !isDirectory) {
      return false;
    }
    int name = 0;
    int at = 0;
    int star = -1; // as in matches
    int taken = 0;
    while (at < end) {
      if (!budget.spend()) {
        return false;
      }
      Glob glob = name < names.size() ? names.get(name) : null;
      if (glob != ANY_NUMBER && glob.matches(path.get(at), budget)) {
        name++;
        at++;
      } else if (name < names.size() && glob == ANY_NUMBER) {
        star = name;
        taken = at;
        name++;
      } else if (star >= 0) {
        taken++;
        at = taken;
        name = star + 1;
      } else {
        return false;
      }
    }
    return name == names.size(); // the last one is never ANY_NUMBER
  }
}

package io.hypersync.worker.local;

import io.hypersync.model.id.Name;
import io.hypersync.model.pattern.MatchBudget;
import io.hypersync.model.pattern.PathPattern;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Which paths of a workspace are local to each host, as {@code hypersync.ignore} says with the
 * rules of gitignore: the last pattern that matches decides, and what is below a directory that is
 * ignored is ignored, whatever later patterns say. They are asked only about names that do not
 * exist in the replicated state. Immutable.
 *
 * @param rules in the order of the file
 */
public record IgnoreRules(List<Rule> rules) {
  /** The name of the file in the root of the workspace. */
  public static final Name FILE = Name.of("hypersync.ignore");

  /** Nothing is local. */
  public static final IgnoreRules NONE = new IgnoreRules(List.of());

  private static final String GIT = ".git";
  private static final String FILE_TEXT = text(FILE);

  public IgnoreRules {
    rules = List.copyOf(rules);
  }

  /** Far more than a thousand usual patterns need for a deep path. */
  private static final int MOST_STEPS = 4_000_000;

  /**
   * A line of the file.
   *
   * @param ignores false if it begins with {@code !}: what matches is replicated after all
   */
  public record Rule(PathPattern pattern, boolean ignores) {}

  /** Whether nothing is local. */
  public boolean isEmpty() {
    return rules.isEmpty();
  }

  /** A name as the rules compare it: byte for byte, as git does. */
  public static String text(Name name) {
    return new String(name.bytes(), StandardCharsets.ISO_8859_1);
  }

  /**
   * Whether a path is local, if the replicated state does not have it; false if comparing it with
   * all rules takes some ten milliseconds, as rules that were made for that can have it. What
   * belongs to git and the file of the rules itself never are: two hosts with different ones would
   * be two workspaces.
   *
   * @param path its names, at least one, as of {@link #text}
   * @param isDirectory whether it leads to a directory
   */
  public boolean isLocal(List<String> path, boolean isDirectory) {
    if (isEmpty()
        || path.contains(GIT)
        || (path.size() == 1 && path.getFirst().equals(FILE_TEXT))) {
      return false;
    }
    MatchBudget budget = new MatchBudget(MOST_STEPS);
    for (int end = 1; end <= path.size(); end++) {
      if (isIgnored(path, end, end < path.size() || isDirectory, budget)) {
        return true;
      }
    }
    return false;
  }

  private boolean isIgnored(List<String> path, int end, boolean isDirectory, MatchBudget budget) {
    for (Rule rule : rules.reversed()) {
      if (rule.pattern().leadsTo(path, end, isDirectory, budget)) {
        return rule.ignores();
      }
    }
    return false;
  }
}

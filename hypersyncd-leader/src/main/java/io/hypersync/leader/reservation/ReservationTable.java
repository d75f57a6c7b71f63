package io.hypersync.leader.reservation;

import io.hypersync.model.pattern.MatchBudget;
import io.hypersync.model.pattern.PathPattern;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All reservations that are known, by the paths that they cover. Immutable: the source makes a new
 * one when something has changed. Which of them hold at a time follows from the table and that time
 * alone.
 */
public final class ReservationTable {
  /** None are known. */
  public static final ReservationTable EMPTY = new ReservationTable(List.of(), 0, 0);

  /** The most that are kept; those that end first are dropped. */
  public static final int MOST = 20_000;

  /** So many conflicts are found, and the search for more ends. */
  static final int MOST_CONFLICTS = 2_000;

  /** The most whose patterns begin at the same place, so that a look has to compare no more. */
  static final int MOST_AT_A_PLACE = 100;

  private final List<Rule> rules = new ArrayList<>();

  /** By the names with which all paths begin that the pattern covers. */
  private final Map<String, List<Rule>> byPlace = new HashMap<>();

  /** By a name that all paths have in them that the pattern covers. */
  private final Map<String, List<Rule>> byName = new HashMap<>();

  private final long elsewhere;
  private final LongAdder brokenOff = new LongAdder();
  private long dropped;

  /** All that {@link #conflicts} may tell, once somebody has asked. */
  private @Nullable List<ReservationConflict> conflicting;

  /**
   * A reservation in this workspace.
   *
   * @param project where its project is in the workspace; empty if that is its root
   */
  private record Rule(Reservation reservation, List<String> project) {
    boolean covers(List<String> path, boolean isDirectory, MatchBudget budget) {
      return path.size() > project.size()
          && path.subList(0, project.size()).equals(project)
          && reservation.pattern().matches(path, project.size(), isDirectory, budget);
    }

    String asPath() {
      return String.join(
          "/", Stream.concat(project.stream(), reservation.pattern().written().stream()).toList());
    }
  }

  private ReservationTable(List<Rule> known, long elsewhere, long dropped) {
    this.elsewhere = elsewhere;
    this.dropped = dropped;
    for (Rule rule : known) {
      if (index(rule)) {
        rules.add(rule);
      } else {
        this.dropped++;
      }
    }
  }

  /**
   * The table of some reservations.
   *
   * @param known whether or not they have expired
   * @param mounts the absolute paths by which agents know the workspace's root
   * @param nowNs those that have expired at this time are left out, in nanoseconds since 1970
   */
  public static ReservationTable of(
      Collection<Reservation> known, List<String> mounts, long nowNs) {
    List<Rule> rules = new ArrayList<>();
    long elsewhere = 0;
    for (Reservation reservation : known) {
      if (!reservation.isActive(nowNs)) {
        continue;
      }
      Rule rule = rule(reservation, mounts);
      if (rule == null) {
        elsewhere++;
      } else {
        rules.add(rule);
      }
    }
    rules.sort(Comparator.comparing(Rule::reservation, ORDER));
    int kept = Math.min(rules.size(), MOST);
    return new ReservationTable(rules.subList(0, kept), elsewhere, rules.size() - kept);
  }

  /** The last to end first; the rest makes the order the same wherever the files were read. */
  private static final Comparator<Reservation> ORDER =
      Comparator.comparingLong(Reservation::expiresNs)
          .reversed()
          .thenComparing(reservation -> reservation.holder().agent())
          .thenComparing(Reservation::project)
          .thenComparing(reservation -> reservation.holder().pattern())
          .thenComparing(Reservation::generation)
          .thenComparingLong(Reservation::id);

  private static @Nullable Rule rule(Reservation reservation, List<String> mounts) {
    List<String> project = inWorkspace(reservation.project(), mounts);
    if (project == null) {
      return null;
    }
    String written = reservation.holder().pattern();
    if (!written.startsWith(reservation.project() + "/")) {
      for (String mount : mounts) { // whoever has written it sees the workspace somewhere else
        PathPattern pattern =
            written.startsWith(mount + "/")
                ? PathPattern.of(written.substring(mount.length()))
                : null;
        if (pattern != null) {
          return new Rule(reservation.by(pattern), List.of());
        }
      }
    }
    return new Rule(reservation, project);
  }

  private static @Nullable List<String> inWorkspace(String project, List<String> mounts) {
    for (String mount : mounts) {
      if (project.equals(mount)) {
        return List.of();
      }
      if (project.startsWith(mount + "/")) {
        return names(project.substring(mount.length() + 1));
      }
    }
    return null;
  }

  private boolean index(Rule rule) {
    String name = rule.reservation().pattern().anywhere();
    List<String> place =
        Stream.concat(rule.project().stream(), rule.reservation().pattern().place().stream())
            .toList();
    List<Rule> beside =
        name == null
            ? byPlace.computeIfAbsent(String.join("/", place), _ -> new ArrayList<>(1))
            : byName.computeIfAbsent(name, _ -> new ArrayList<>(1));
    return beside.size() < MOST_AT_A_PLACE && beside.add(rule);
  }

  /** Whether none are known. */
  public boolean isEmpty() {
    return rules.isEmpty();
  }

  /**
   * The reservations that cover a path.
   *
   * @param path from the workspace's root, without a slash before it
   * @param isDirectory whether it leads to a directory
   * @param nowNs only those that have not ended at this time, in nanoseconds since 1970
   * @return always in the same order; none if not all could be compared
   */
  public List<Reservation> covering(String path, boolean isDirectory, long nowNs) {
    if (isEmpty() || path.isEmpty()) {
      return List.of();
    }
    List<String> names = names(path);
    List<Rule> found = new ArrayList<>();
    MatchBudget budget = new MatchBudget(MatchBudget.STEPS);
    int end = 0;
    for (int depth = 0; depth <= names.size(); depth++) {
      add(byPlace.get(path.substring(0, end)), names, isDirectory, budget, found);
      if (depth < names.size()) {
        end += names.get(depth).length() + (depth == 0 ? 0 : 1);
        if (names.indexOf(names.get(depth)) == depth) {
          add(byName.get(names.get(depth)), names, isDirectory, budget, found);
        }
      }
    }
    if (budget.isSpent()) {
      brokenOff.increment();
      return List.of(); // some may be missing, the caller's own among them: nothing is told then
    }
    return found.stream()
        .map(Rule::reservation)
        .filter(reservation -> reservation.isActive(nowNs))
        .sorted(ORDER)
        .toList();
  }

  private static void add(
      @Nullable List<Rule> candidates,
      List<String> path,
      boolean isDirectory,
      MatchBudget budget,
      List<Rule> to) {
    if (candidates == null) {
      return;
    }
    for (Rule rule : candidates) {
      if (rule.covers(path, isDirectory, budget)) {
        to.add(rule);
      }
    }
  }

  /** Those that have not ended at this time, in nanoseconds since 1970; the last to end first. */
  public List<Reservation> active(long nowNs) {
    return rules.stream()
        .map(Rule::reservation)
        .filter(reservation -> reservation.isActive(nowNs))
        .toList();
  }

  /**
   * Pairs of reservations of different agents of which at least one is exclusive and one covers
   * what the other's pattern says, read as a path. Each pair is told once.
   *
   * @param nowNs of those that have not ended at this time, in nanoseconds since 1970
   * @param most no more than these
   */
  public List<ReservationConflict> conflicts(long nowNs, int most) {
    return conflicting().stream()
        .filter(pair -> pair.one().isActive(nowNs) && pair.other().isActive(nowNs))
        .limit(most)
        .toList();
  }

  /** Found once, whatever has expired since; the loop that logs entries never comes here. */
  private synchronized List<ReservationConflict> conflicting() {
    List<ReservationConflict> known = conflicting;
    if (known == null) {
      known = found();
      conflicting = known;
    }
    return known;
  }

  private List<ReservationConflict> found() {
    Set<ReservationConflict> found = new LinkedHashSet<>();
    for (Rule rule : rules) {
      Reservation one = rule.reservation();
      for (Reservation other : covering(rule.asPath(), true, Long.MIN_VALUE)) {
        if (ReservationConflict.isBetween(one, other)) {
          boolean inOrder = ORDER.compare(one, other) < 0;
          found.add(
              inOrder ? new ReservationConflict(one, other) : new ReservationConflict(other, one));
        }
      }
      if (found.size() >= MOST_CONFLICTS) {
        break;
      }
    }
    return List.copyOf(found);
  }

  /** How many looks were broken off because the patterns took too long. */
  public long brokenOff() {
    return brokenOff.sum();
  }

  /** How many belong to projects outside of this workspace. */
  public long elsewhere() {
    return elsewhere;
  }

  /** How many are left out because there are too many. */
  public long dropped() {
    return dropped;
  }

  private static List<String> names(String path) {
    return Arrays.asList(path.split("/"));
  }
}

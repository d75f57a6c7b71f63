package io.hypersync.e2e.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import io.hypersync.e2e.harness.DaemonJvm;
import io.hypersync.e2e.harness.TestCluster;
import io.hypersync.runtime.admin.UserError;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What was killed, and what the daemons did meanwhile. Their logs hold all lives of a daemon, so
 * what is counted there is complete; what only a status says is counted when it is looked at.
 */
final class KillTally {
  private static final List<String> DAEMONS = List.of("leader", "a", "b");

  private final Map<String, Map<String, Integer>> kills = new TreeMap<>();
  private final Map<String, Long> chunksRemoved = new LinkedHashMap<>();
  private final Map<String, Long> evictions = new LinkedHashMap<>();
  private long firstIndex = 1;
  private int trims;

  /** A daemon was killed. */
  void killed(String daemon, String during) {
    kills.computeIfAbsent(during, _ -> new TreeMap<>()).merge(daemon, 1, Integer::sum);
  }

  int kills() {
    return kills.values().stream()
        .flatMap(each -> each.values().stream())
        .mapToInt(Integer::intValue)
        .sum();
  }

  int kills(KillMoment during) {
    return kills.entrySet().stream()
        .filter(each -> each.getKey().split(",", 2)[0].equals(during.name()))
        .flatMap(each -> each.getValue().values().stream())
        .mapToInt(Integer::intValue)
        .sum();
  }

  /** Looks at a daemon, if it answers; fails if it has broken an invariant. */
  void look(String name, DaemonJvm daemon) {
    JsonNode status;
    try {
      status = daemon.status();
    } catch (UserError doesNotAnswer) {
      return; // it was killed, or has only begun
    }
    status
        .path("invariants_broken")
        .properties()
        .forEach(each -> assertEquals(0, each.getValue().asLong(), name + ": " + each));
    String life = name + " " + daemon.pid() + " ";
    if (name.equals("leader")) {
      long first = status.path("log_first_index").asLong();
      trims += first > firstIndex ? 1 : 0;
      firstIndex = Math.max(first, firstIndex);
      collected(life, status.path("gc"));
    } else {
      collected(life, status.path("chunk_cache"));
      evictions.put(life, status.path("chunk_cache").path("evictions").asLong());
    }
  }

  private void collected(String life, JsonNode gc) {
    chunksRemoved.put(
        life + gc.path("ended").asText(), gc.path("last").path("chunks_removed").asLong());
  }

  /** Fails if a daemon calls anything an error: nothing that a kill leaves behind is one. */
  static void assertNoErrors(TestCluster cluster) {
    for (String daemon : DAEMONS) {
      List<String> errors =
          cluster.daemon(daemon).log().lines().filter(line -> line.contains(" ERROR ")).toList();
      assertEquals(List.of(), errors, "errors in the log of " + daemon);
    }
  }

  /** How often each event came about, by what it is. */
  Map<String, Long> events(TestCluster cluster, long snapshotsThere) {
    Map<String, Long> events = new LinkedHashMap<>();
    long taken = count(cluster, List.of("leader"), "[^m] *snapshot of entry \\d+: ");
    events.put("snapshots taken by the leader", taken);
    events.put("snapshots of the leader removed", taken - snapshotsThere);
    events.put(
        "snapshots taken by workers",
        count(cluster, List.of("a", "b"), "[^m] *snapshot of entry \\d+: "));
    events.put(
        "starts from a snapshot", count(cluster, DAEMONS, "starting from the snapshot of entry"));
    events.put("collections of the leader", count(cluster, List.of("leader"), "collection: "));
    events.put(
        "collections of workers",
        count(cluster, List.of("a", "b"), "collection(?: \\(cache_max\\))?: "));
    events.put("bytes freed by collections", sum(cluster, "collection.*? (\\d+) bytes freed"));
    events.put("chunks removed, as seen (at least)", total(chunksRemoved));
    events.put("evictions for cache_max, as seen (at least)", total(evictions));
    events.put("trims of the log, as seen (at least)", (long) trims);
    events.put("entries trimmed", firstIndex - 1);
    events.put("installs begun", count(cluster, List.of("a", "b"), "offers its snapshot of entry"));
    events.put(
        "installs ended",
        count(cluster, List.of("a", "b"), "the snapshot of entry \\d+ is installed"));
    events.put("restores", count(cluster, List.of("leader"), "restored a path to entry"));
    events.put(
        "restores of everything",
        count(cluster, List.of("leader"), "entry \\d+ has restored the state of entry"));
    events.put("scrubs", count(cluster, List.of("leader"), "scrub: \\d+ chunks and \\d+ pages"));
    events.put("backups", count(cluster, List.of("leader"), "backed up entry"));
    events.put(
        "states of the past mounted", count(cluster, List.of("a", "b"), "mounted the state of"));
    return events;
  }

  private static long total(Map<String, Long> each) {
    return each.values().stream().mapToLong(Long::longValue).sum();
  }

  private static long count(TestCluster cluster, List<String> daemons, String pattern) {
    Pattern compiled = Pattern.compile(pattern);
    return daemons.stream()
        .flatMap(daemon -> cluster.daemon(daemon).log().lines())
        .filter(line -> compiled.matcher(line).find())
        .count();
  }

  private static long sum(TestCluster cluster, String pattern) {
    Pattern compiled = Pattern.compile(pattern);
    return DAEMONS.stream()
        .flatMap(daemon -> cluster.daemon(daemon).log().lines())
        .map(compiled::matcher)
        .filter(Matcher::find)
        .mapToLong(found -> Long.parseLong(found.group(1)))
        .sum();
  }

  /** A row for each kind of kill. */
  List<String> rows() {
    List<String> rows = new ArrayList<>();
    rows.add("%-14s %7s %7s %7s".formatted("killed in", "leader", "a", "b"));
    kills.forEach(
        (during, by) ->
            rows.add(
                "%-14s %7d %7d %7d"
                    .formatted(
                        during,
                        by.getOrDefault("leader", 0),
                        by.getOrDefault("a", 0),
                        by.getOrDefault("b", 0))));
    return rows;
  }
}

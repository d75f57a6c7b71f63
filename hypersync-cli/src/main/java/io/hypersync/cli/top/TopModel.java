package io.hypersync.cli.top;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What the daemons of this host have said: answers in, figures out. Pure: asks nobody and knows no
 * clock. Of each daemon it keeps the last answers and bounded lists. Not thread-safe.
 */
final class TopModel {
  /** A question that is open for longer counts as not answered. */
  static final long PATIENCE_NS = 2_000_000_000L;

  private final Map<String, Watched> daemons = new TreeMap<>();
  private final String searched;
  private Map<String, Long> open = Map.of();
  private JsonNode findings = JsonNodeFactory.instance.arrayNode();
  private String findingsTrouble = "";
  private boolean isExamined;
  private long nowNs;
  private int unasked;

  /**
   * One that has heard nothing.
   *
   * @param searched where sockets are looked for, for people
   */
  TopModel(String searched) {
    this.searched = searched;
  }

  /** Takes what came of a question. */
  void accept(Observation seen) {
    nowNs = Math.max(nowNs, seen.atNs());
    daemons
        .computeIfAbsent(seen.socket(), socket -> new Watched(socket, seen.role(), seen.atNs()))
        .accept(seen);
  }

  /**
   * Notes which sockets there are, and which questions are open.
   *
   * @param sockets roles by socket; daemons of others are forgotten
   * @param since when the question was put that each daemon has not answered yet
   * @param notAsked how many daemons are not asked because there are too many
   */
  void present(Map<String, String> sockets, Map<String, Long> since, int notAsked, long atNs) {
    nowNs = Math.max(nowNs, atNs);
    daemons.keySet().retainAll(sockets.keySet());
    sockets.forEach(
        (socket, role) -> daemons.computeIfAbsent(socket, _ -> new Watched(socket, role, atNs)));
    open = Map.copyOf(since);
    unasked = notAsked;
  }

  /** Takes what doctor has found: an array as in {@code doctor --json}. */
  void examined(JsonNode found) {
    findings = found;
    findingsTrouble = "";
    isExamined = true;
  }

  /** Doctor could not look. */
  void notExamined(String why) {
    findingsTrouble = why;
    isExamined = true;
  }

  String searched() {
    return searched;
  }

  long nowNs() {
    return nowNs;
  }

  int unasked() {
    return unasked;
  }

  JsonNode findings() {
    return findings;
  }

  String findingsTrouble() {
    return findingsTrouble;
  }

  /** Whether doctor has looked. */
  boolean isExamined() {
    return isExamined;
  }

  /** All, living and dead. */
  Collection<Watched> daemons() {
    return Collections.unmodifiableCollection(daemons.values());
  }

  /** Those of a role that have said how they are, perhaps a while ago. */
  List<Watched> known(String role) {
    return daemons.values().stream()
        .filter(each -> each.status().path("role").asText(each.role()).equals(role))
        .filter(each -> !each.status().isMissingNode())
        .toList();
  }

  /** Whether any daemon has answered. */
  boolean isSomebodyHere() {
    return daemons.values().stream().anyMatch(Watched::isHeard);
  }

  /** Whether all questions that were put are answered, one way or the other. */
  boolean isSettled() {
    return daemons.values().stream()
        .noneMatch(each -> each.status().isMissingNode() && each.trouble().isEmpty());
  }

  /**
   * Whether each daemon has answered or refused these questions, and its status twice, or does not
   * answer.
   */
  boolean isComplete(Set<Question> questions) {
    return daemons.values().stream()
        .allMatch(
            each ->
                !each.trouble().isEmpty()
                    || (!each.before().isMissingNode()
                        && questions.stream()
                            .filter(question -> question.isFor(each.role()))
                            .allMatch(each::hasAnswered)));
  }

  /** The workspaces of this host, by their first digits. */
  List<String> workspaces() {
    Set<String> found = new TreeSet<>();
    for (Watched each : daemons.values()) {
      if (!each.workspace().isEmpty()) {
        found.add(each.workspace());
      }
    }
    return List.copyOf(found);
  }

  /** What a workspace is called; its digits if no leader here says it. */
  String nameOf(String workspace) {
    for (Watched leader : known("leader")) {
      if (leader.workspace().equals(workspace)) {
        return leader.status().path("workspace_name").asText(workspace);
      }
    }
    return workspace;
  }

  /** For how long a daemon has not answered, in nanoseconds; 0 if it is not late. */
  long silentNs(Watched daemon) {
    long since = open.getOrDefault(daemon.socket(), nowNs);
    boolean isLate = nowNs - since > PATIENCE_NS || !daemon.trouble().isEmpty();
    return isLate ? Math.max(1, nowNs - Math.min(since, daemon.heardNs())) : 0;
  }

  /** Those that do not answer now, whether they live or not. */
  List<Watched> silent() {
    List<Watched> found = new ArrayList<>();
    for (Watched each : daemons.values()) {
      if (silentNs(each) > 0) {
        found.add(each);
      }
    }
    return found;
  }
}

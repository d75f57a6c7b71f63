package io.hypersync.worker.profile;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.state.FsState;
import io.hypersync.worker.profile.Profile.Usage;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;
import org.jspecify.annotations.Nullable;

/**
 * The result of a {@link Profile}. {@link #tree} finds paths for its nodes, which may take seconds,
 * so not on the agent's thread.
 *
 * @param tookNs how long the profile ran, in nanoseconds
 * @param refused how many mutations the leader refused
 * @param born the names under which nodes were created during the profile
 * @param others the sum of what was too much to count apart
 */
public record ProfileResult(
    FsState began,
    FsState ended,
    long tookNs,
    Map<String, Long> ops,
    long refused,
    Histogram writeBytes,
    Histogram writesPerSecond,
    long bytes,
    Map<MutationTarget, Usage> subjects,
    Map<NodeId, MutationTarget> born,
    Usage others) {
  private static final double NS_PER_S = 1e9;
  private static final int MAX_DEPTH = 4_096;

  /**
   * The result as JSON, with the keys of {@code docs/json.md}.
   *
   * @param top most paths, and most directories, to list
   */
  public ObjectNode tree(int top) {
    ObjectNode tree = JsonNodeFactory.instance.objectNode();
    tree.put("seconds", Math.round(tookNs / NS_PER_S * 1_000) / 1_000.0);
    ObjectNode counts = tree.putObject("ops");
    ops.forEach(counts::put);
    tree.put("refused", refused);
    tree.set("writes", writes());
    Map<String, Usage> paths = byPath();
    tree.put("paths_in_all", paths.size());
    tree.put("mutations_elsewhere", others.mutations());
    tree.set("paths", rows(paths, top));
    tree.set("directories", rows(byDirectory(paths), top));
    return tree;
  }

  private ObjectNode writes() {
    ObjectNode writes = JsonNodeFactory.instance.objectNode();
    writes.put("count", writeBytes.getTotalCount());
    writes.put("bytes", bytes);
    for (int percent : new int[] {50, 90, 99, 100}) {
      writes.put(name("size_bytes", percent), writeBytes.getValueAtPercentile(percent));
    }
    for (int percent : new int[] {50, 99, 100}) {
      writes.put(name("per_s", percent), writesPerSecond.getValueAtPercentile(percent));
    }
    ObjectNode sizes = writes.putObject("sizes");
    for (HistogramIterationValue step : writeBytes.logarithmicBucketValues(512, 2)) {
      if (step.getCountAddedInThisIterationStep() > 0) {
        sizes.put(
            Long.toString(step.getValueIteratedTo() + 1), step.getCountAddedInThisIterationStep());
      }
    }
    return writes;
  }

  private static String name(String what, int percent) {
    return what + (percent == 100 ? "_max" : "_p" + percent);
  }

  private Map<String, Usage> byPath() {
    Set<NodeId> nodes = new HashSet<>();
    subjects.keySet().forEach(subject -> nodes.add(subject.node()));
    Map<NodeId, String> found = new HashMap<>(NodePaths.of(began, nodes));
    found.putAll(NodePaths.of(ended, nodes));
    Map<String, Usage> paths = new HashMap<>();
    subjects.forEach(
        (subject, usage) -> {
          String path = path(subject, found, 0);
          paths.computeIfAbsent(path == null ? "?" : path, _ -> new Usage()).add(usage);
        });
    return paths;
  }

  /** Its path at the end, at the beginning, or where it was created; null if none is known. */
  private @Nullable String path(MutationTarget subject, Map<NodeId, String> found, int depth) {
    if (!found.containsKey(subject.node()) && depth < MAX_DEPTH) {
      MutationTarget origin = born.get(subject.node());
      String path = origin == null ? null : path(origin, found, depth + 1);
      if (path != null) {
        found.put(subject.node(), path);
      }
    }
    return NodePaths.path(subject, found);
  }

  /** Adds each path's usage to every directory above it. */
  private static Map<String, Usage> byDirectory(Map<String, Usage> paths) {
    Map<String, Usage> directories = new HashMap<>();
    paths.forEach(
        (path, usage) -> {
          for (int slash = path.lastIndexOf('/');
              slash > 0;
              slash = path.lastIndexOf('/', slash - 1)) {
            directories.computeIfAbsent(path.substring(0, slash), _ -> new Usage()).add(usage);
          }
        });
    return directories;
  }

  private static ArrayNode rows(Map<String, Usage> usages, int top) {
    ArrayNode rows = JsonNodeFactory.instance.arrayNode();
    List<Map.Entry<String, Usage>> sorted =
        usages.entrySet().stream()
            .sorted(
                Comparator.comparingLong(
                        (Map.Entry<String, Usage> row) -> -row.getValue().mutations())
                    .thenComparing(Map.Entry::getKey))
            .limit(top)
            .toList();
    for (Map.Entry<String, Usage> row : sorted) {
      ObjectNode node = rows.addObject();
      node.put("path", row.getKey());
      node.put("mutations", row.getValue().mutations());
      node.put("writes", row.getValue().writes());
      node.put("bytes", row.getValue().bytes());
      node.put("created", row.getValue().created());
      node.put("removed", row.getValue().removed());
    }
    return rows;
  }
}

package io.hypersync.cli.stages;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * What else a worker and its leader are busy with, for {@code why-slow}: catching up, installs,
 * snapshots, collections. The parts of their statuses that say so, as in {@code docs/json.md}.
 */
public final class Upkeep {
  private Upkeep() {}

  /**
   * Takes them out of the statuses.
   *
   * @param leader null if the leader is not on this machine
   */
  public static ObjectNode of(JsonNode worker, @Nullable JsonNode leader) {
    ObjectNode tree = JsonNodeFactory.instance.objectNode();
    for (String key : new String[] {"catch_up", "install", "snapshots", "chunk_cache"}) {
      copy(worker, tree, key);
    }
    if (leader == null) {
      tree.putNull("leader");
      return tree;
    }
    ObjectNode its = tree.putObject("leader");
    for (String key : new String[] {"log_bytes", "log_first_index", "snapshots", "gc"}) {
      copy(leader, its, key);
    }
    return tree;
  }

  private static void copy(JsonNode from, ObjectNode to, String key) {
    if (from.has(key)) {
      to.set(key, from.path(key));
    }
  }
}

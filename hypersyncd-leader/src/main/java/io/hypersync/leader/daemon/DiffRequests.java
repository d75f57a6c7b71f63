package io.hypersync.leader.daemon;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.leader.history.HeapAllowance;
import io.hypersync.leader.history.PastStates;
import io.hypersync.leader.snapshot.SnapshotHold;
import io.hypersync.model.difference.Aspect;
import io.hypersync.model.difference.Change;
import io.hypersync.model.difference.StateDifference;
import io.hypersync.model.id.Name;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.runtime.file.FileProblems;
import java.io.IOException;
import java.util.List;
import java.util.Locale;

/**
 * The admin command {@code diff}: what differs between {@code from} and {@code to}, each a
 * snapshot's name, an index, a time, how long ago, or {@code head}. {@code path} and {@code limit}
 * may be missing.
 */
final class DiffRequests {
  private static final int DEFAULT_CHANGES = 10_000;
  private static final int MOST_CHANGES = 100_000;
  private static final long NS_PER_MS = 1_000_000;

  private final Moments moments;
  private final Clock clock;
  private final SlowRequests requests;

  /**
   * Requests to one leader.
   *
   * @param requests which take turns with others that need memory for a state
   */
  DiffRequests(Moments moments, Clock clock, SlowRequests requests) {
    this.moments = moments;
    this.clock = clock;
    this.requests = requests;
  }

  ObjectNode run(ObjectNode args) {
    String from = args.path("from").asText();
    String to = args.path("to").asText(Moments.HEAD);
    List<Name> path = Moments.path(args.path("path").asText());
    int limit = args.path("limit").asInt(DEFAULT_CHANGES);
    if (limit < 1 || limit > MOST_CHANGES) {
      throw new UserError("the limit must be from 1 to " + MOST_CHANGES, "", UserError.USAGE);
    }
    return requests.run(() -> compared(from, to, path, limit));
  }

  private ObjectNode compared(String from, String to, List<Name> path, int limit) {
    long beganNs = clock.monotonicNs();
    PastStates.Newest newest = moments.newest();
    HeapAllowance allowance =
        Moments.allowance("Compare states that are closer to each other or to the newest one");
    PastStates past = moments.past(newest, allowance);
    try {
      long first = moments.index(from, newest, past);
      long second = moments.index(to, newest, past);
      return compared(first, second, newest, past, path, limit, allowance)
          .put("duration_ms", (clock.monotonicNs() - beganNs) / NS_PER_MS);
    } catch (IOException e) {
      throw new UserError("cannot read the log: " + FileProblems.describe(e), "");
    } catch (ChunkStoreException e) {
      throw new UserError("cannot read a snapshot: " + e.getMessage(), "Look at the disk.");
    }
  }

  private ObjectNode compared(
      long first,
      long second,
      PastStates.Newest newest,
      PastStates past,
      List<Name> path,
      int limit,
      HeapAllowance allowance)
      throws IOException {
    SnapshotHold low = moments.hold(newest, Math.min(first, second));
    SnapshotHold high = new SnapshotHold(0);
    try {
      high = moments.hold(newest, Math.max(first, second));
      PastStates.Two states = past.both(first, second);
      if (!StateDifference.has(states.first(), path)
          && !StateDifference.has(states.second(), path)) {
        throw new UserError(
            "the path is in neither of the two states",
            "Give it as seen from the root of the workspace, such as src/main.");
      }
      StateDifference.Result result =
          StateDifference.of(
              states.first(), states.second(), path, limit, new WalkLimits(requests, allowance));
      return json(result)
          .put("from_index", first)
          .put("from_root", states.first().root().toString())
          .put("to_index", second)
          .put("to_root", states.second().root().toString());
    } finally {
      moments.end(low);
      moments.end(high);
    }
  }

  private static ObjectNode json(StateDifference.Result result) {
    ObjectNode answer = JsonNodeFactory.instance.objectNode();
    ArrayNode changes = answer.putArray("changes");
    result.changes().forEach(change -> changes.add(json(change)));
    return answer
        .put("complete", result.isComplete())
        .put("differing_nodes", result.differingNodes());
  }

  private static ObjectNode json(Change change) {
    ObjectNode json =
        JsonNodeFactory.instance
            .objectNode()
            .put("change", lower(change.kind()))
            .put("path", change.path());
    if (change.oldPath() != null) {
      json.put("old_path", change.oldPath());
    }
    json.put("type", lower(change.type())).put("inode", change.inode());
    ArrayNode aspects = json.putArray("aspects");
    for (Aspect aspect : Aspect.values()) {
      if (change.aspects().contains(aspect)) {
        aspects.add(lower(aspect));
      }
    }
    return json.put("old_size_bytes", change.oldSize()).put("new_size_bytes", change.newSize());
  }

  private static String lower(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }
}

package io.hypersync.leader.daemon;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.leader.LeaderAgent;
import io.hypersync.leader.history.HeapAllowance;
import io.hypersync.leader.history.PastStates;
import io.hypersync.leader.oplog.OpLog;
import io.hypersync.model.difference.Aspect;
import io.hypersync.model.difference.Change;
import io.hypersync.model.difference.StateDifference;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.agent.AgentQueries;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.runtime.file.FileProblems;
import io.hypersync.snapshot.RateLimit;
import io.hypersync.snapshot.Snapshot;
import io.hypersync.snapshot.StoredPages;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The admin command {@code diff}: what differs between {@code from} and {@code to}, each a
 * snapshot's name, an index, a time, how long ago, or {@code head}. {@code path} and {@code limit}
 * may be missing.
 */
final class DiffRequests {
  private static final int DEFAULT_CHANGES = 10_000;
  private static final int MOST_CHANGES = 100_000;
  private static final long NS_PER_SECOND = 1_000_000_000;
  private static final long NS_PER_MS = 1_000_000;

  /** How long the newest entry may take to become durable, in ms. */
  private static final long DURABLE_LIMIT_MS = 10_000;

  private static final String HEAD = "head";
  private static final Pattern AGO = Pattern.compile("([0-9]{1,9})([smhd])");

  private final AgentQueries<LeaderAgent> agent;
  private final OpLog log;
  private final ChunkStore chunks;
  private final WorkspaceId workspace;
  private final Clock clock;
  private final SlowRequests requests;

  /**
   * Requests to one leader.
   *
   * @param clock says what "ago" means
   * @param requests which take turns with others that need memory for a state
   */
  DiffRequests(
      AgentQueries<LeaderAgent> agent,
      OpLog log,
      ChunkStore chunks,
      WorkspaceId workspace,
      Clock clock,
      SlowRequests requests) {
    this.agent = agent;
    this.log = log;
    this.chunks = chunks;
    this.workspace = workspace;
    this.clock = clock;
    this.requests = requests;
  }

  /** Whether a word means a state, so that no snapshot may be called so. */
  static boolean isMoment(String word) {
    return word.equals(HEAD) || AGO.matcher(word).matches();
  }

  /** Ends a comparison when the leader stops, or when there is no memory for it. */
  private record Limits(SlowRequests requests, HeapAllowance allowance)
      implements StateDifference.Limits {
    @Override
    public void step() {
      requests.requireRunning();
    }

    @Override
    public void heap(long bytes) {
      allowance.spend(bytes);
    }
  }

  ObjectNode run(ObjectNode args) {
    String from = args.path("from").asText();
    String to = args.path("to").asText(HEAD);
    List<Name> path = path(args.path("path").asText());
    int limit = args.path("limit").asInt(DEFAULT_CHANGES);
    if (limit < 1 || limit > MOST_CHANGES) {
      throw new UserError("the limit must be from 1 to " + MOST_CHANGES, "", UserError.USAGE);
    }
    return requests.run(() -> compared(from, to, path, limit));
  }

  private ObjectNode compared(String from, String to, List<Name> path, int limit) {
    long beganNs = clock.monotonicNs();
    PastStates.Newest newest = durable();
    HeapAllowance allowance =
        new HeapAllowance(
            HeapBudget.freeForOthers(),
            "Compare states that are closer to each other or to the newest one, or start the leader"
                + " with a larger heap: HYPERSYNC_JAVA_OPTS=-Xmx"
                + HeapBudget.twiceMib()
                + "m");
    PastStates past =
        new PastStates(
            log,
            workspace,
            new StoredPages(chunks, RateLimit.NONE),
            newest,
            allowance,
            requests::requireRunning);
    try {
      long first = index(from, newest, past);
      long second = index(to, newest, past);
      PastStates.Two states = past.both(first, second);
      if (!StateDifference.has(states.first(), path)
          && !StateDifference.has(states.second(), path)) {
        throw new UserError(
            "the path is in neither of the two states",
            "Give it as seen from the root of the workspace, such as src/main.");
      }
      StateDifference.Result result =
          StateDifference.of(
              states.first(), states.second(), path, limit, new Limits(requests, allowance));
      return json(result)
          .put("from_index", first)
          .put("from_root", states.first().root().toString())
          .put("to_index", second)
          .put("to_root", states.second().root().toString())
          .put("duration_ms", (clock.monotonicNs() - beganNs) / NS_PER_MS);
    } catch (IOException e) {
      throw new UserError("cannot read the log: " + FileProblems.describe(e), "");
    } catch (ChunkStoreException e) {
      throw new UserError("cannot read a snapshot: " + e.getMessage(), "Look at the disk.");
    }
  }

  /** The newest state, once its last entry is durable: nobody may see one that is not. */
  private PastStates.Newest durable() {
    PastStates.Newest newest =
        agent.ask(
            leader ->
                new PastStates.Newest(
                    leader.sequencer().head(),
                    leader.sequencer().headIndex(),
                    leader.sequencer().lastTimeNs(),
                    List.copyOf(leader.snapshots().all())));
    for (long waitedMs = 0; log.durableIndex() < newest.index(); waitedMs++) {
      requests.requireRunning();
      if (waitedMs >= DURABLE_LIMIT_MS) {
        throw new UserError("the newest entry is not on the disk yet", "Look at the disk.");
      }
      try {
        Thread.sleep(1);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new UserError("interrupted", "");
      }
    }
    return newest;
  }

  private long index(String moment, PastStates.Newest newest, PastStates past) throws IOException {
    if (moment.equals(HEAD)) {
      return newest.index();
    }
    for (Snapshot snapshot : newest.snapshots()) {
      if (!moment.isEmpty() && snapshot.name().equals(moment)) {
        return snapshot.index();
      }
    }
    if (!moment.isEmpty() && moment.chars().allMatch(c -> c >= '0' && c <= '9')) {
      try {
        return Long.parseLong(moment);
      } catch (NumberFormatException e) {
        return Long.MAX_VALUE; // there is none, which is said with the newest one
      }
    }
    return past.indexAt(timeNs(moment));
  }

  private long timeNs(String moment) {
    Matcher ago = AGO.matcher(moment);
    if (ago.matches()) {
      long unit =
          switch (ago.group(2)) {
            case "s" -> 1;
            case "m" -> 60;
            case "h" -> 3_600;
            default -> 86_400;
          };
      // Up to 2.7 million years: counted in seconds, and no state is older than 1970.
      long seconds = clock.epochNs() / NS_PER_SECOND - Long.parseLong(ago.group(1)) * unit;
      return Math.max(0, seconds) * NS_PER_SECOND;
    }
    try {
      Instant time = OffsetDateTime.parse(moment).toInstant();
      long most = Long.MAX_VALUE / NS_PER_SECOND - 1;
      return Math.clamp(time.getEpochSecond(), 0, most) * NS_PER_SECOND + time.getNano();
    } catch (DateTimeException e) {
      throw new UserError(
          "\"" + moment + "\" is no state of the workspace",
          "Give a snapshot's name, the index of an entry, a time such as 2026-01-31T09:00:00Z, how"
              + " long ago such as 10m, or head.\n"
              + "The snapshots: ./hypersync snapshot list",
          UserError.USAGE);
    }
  }

  /** The names of a path from the root of the workspace; "", "." and "/" are the root. */
  private static List<Name> path(String text) {
    List<Name> names = new ArrayList<>();
    for (String part : text.split("/", -1)) {
      if (part.isEmpty() || part.equals(".")) {
        continue;
      }
      try {
        names.add(Name.of(part));
      } catch (IllegalArgumentException e) {
        throw new UserError("the path: " + e.getMessage(), "", UserError.USAGE);
      }
    }
    return names;
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

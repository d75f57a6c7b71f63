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
import io.hypersync.leader.restore.RestoreAnswer;
import io.hypersync.leader.restore.RestoreBatches;
import io.hypersync.leader.restore.RestoreRun;
import io.hypersync.leader.restore.RestoreStep;
import io.hypersync.leader.snapshot.LoggedChunks;
import io.hypersync.leader.snapshot.SnapshotHold;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.Name;
import io.hypersync.model.restore.RestoreAction;
import io.hypersync.model.restore.RestoreKind;
import io.hypersync.model.restore.RestorePlan;
import io.hypersync.model.restore.RestorePlanner;
import io.hypersync.model.restore.RestoreSteps;
import io.hypersync.model.restore.RestoreSteps.LostChunkException;
import io.hypersync.model.restore.UnrestorableException;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.agent.AgentQueries;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.runtime.file.FileProblems;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The admin command {@code restore}: brings {@code path} back to what it was {@code at} a state.
 * With {@code dry_run} it only says what that would be. {@code limit} may be missing.
 *
 * <p>{@code planned_at}, which may be missing, is the {@code head_index} of a dry run. The plan is
 * then made from the state of that entry: it is the one that was shown, and its guards leave alone
 * all that others have changed, moved or made since.
 */
final class RestoreRequests {
  private static final Logger LOG = LoggerFactory.getLogger(RestoreRequests.class);
  private static final int DEFAULT_ACTIONS = 10_000;
  private static final int MOST_ACTIONS = 100_000;
  private static final int MOST_LEFT = 1_000;
  private static final int MOST_CHARS = 4 << 20;
  private static final long NS_PER_MS = 1_000_000;

  private final AgentQueries<LeaderAgent> agent;
  private final Consumer<Consumer<LeaderAgent>> post;
  private final Moments moments;
  private final OpLog log;
  private final ChunkStore chunks;
  private final Clock clock;
  private final SlowRequests requests;
  private final AgentAnswers answers;
  private volatile @Nullable Progress progress;

  /** How far a restore is. */
  private record Progress(long atIndex, int done, int actions, long entries) {}

  /**
   * Requests to one leader.
   *
   * @param post runs a call of the agent on its thread, and has it do its work
   * @param requests which take turns with others that need memory for a state
   * @param ended completes when the leader answers nothing any more
   */
  RestoreRequests(
      AgentQueries<LeaderAgent> agent,
      Consumer<Consumer<LeaderAgent>> post,
      Moments moments,
      OpLog log,
      ChunkStore chunks,
      Clock clock,
      SlowRequests requests,
      CompletableFuture<Void> ended) {
    this.agent = agent;
    this.post = post;
    this.moments = moments;
    this.log = log;
    this.chunks = chunks;
    this.clock = clock;
    this.requests = requests;
    this.answers = new AgentAnswers(post, requests, ended);
  }

  ObjectNode run(ObjectNode args) {
    String at = args.path("at").asText();
    List<Name> path = Moments.path(args.path("path").asText());
    boolean isDry = args.path("dry_run").asBoolean(true);
    int limit = args.path("limit").asInt(DEFAULT_ACTIONS);
    long plannedAt = args.path("planned_at").asLong(-1);
    if (args.path("path").asText().isEmpty()) {
      throw new UserError("no path is given", "The whole workspace is /.", UserError.USAGE);
    }
    if (limit < 1 || limit > MOST_ACTIONS) {
      throw new UserError("the limit must be from 1 to " + MOST_ACTIONS, "", UserError.USAGE);
    }
    return requests.run(() -> restored(at, path, isDry, limit, plannedAt));
  }

  /** How far the restore is that is under way; null if there is none. Any thread may ask. */
  @Nullable ObjectNode progress() {
    Progress now = progress;
    return now == null
        ? null
        : JsonNodeFactory.instance
            .objectNode()
            .put("at_index", now.atIndex)
            .put("actions_done", now.done)
            .put("actions", now.actions)
            .put("entries", now.entries);
  }

  private ObjectNode restored(
      String at, List<Name> path, boolean isDry, int limit, long plannedAt) {
    long beganNs = clock.monotonicNs();
    PastStates.Newest newest = moments.newest();
    HeapAllowance allowance =
        Moments.allowance("Restore a smaller part of the workspace at a time");
    PastStates past = moments.past(newest, allowance);
    try {
      long index = moments.index(at, newest, past);
      long planned = plannedAt < 0 ? newest.index() : plannedAt;
      SnapshotHold hold = moments.hold(newest, Math.min(index, planned));
      try {
        PastStates.Two states = past.both(index, planned);
        RestorePlan plan =
            RestorePlanner.plan(
                states.second(), states.first(), path, new WalkLimits(requests, allowance));
        ObjectNode answer = planned(plan, limit);
        answer
            .put("at_index", index)
            .put("at_root", states.first().root().toString())
            .put("head_index", planned)
            .put("dry_run", isDry);
        if (!isDry) {
          storeLogged(hold.index(), index);
          post.accept(leader -> hold.releaseLog(leader.snapshots()));
          carryOut(plan, states, index, new WalkLimits(requests, allowance), answer);
        }
        return answer.put("duration_ms", (clock.monotonicNs() - beganNs) / NS_PER_MS);
      } finally {
        post.accept(leader -> hold.end(leader.snapshots()));
      }
    } catch (UnrestorableException e) {
      throw new UserError(String.valueOf(e.getMessage()), e.hint());
    } catch (IOException e) {
      throw new UserError("cannot read the log: " + FileProblems.describe(e), "");
    } catch (ChunkStoreException e) {
      throw new UserError("cannot read the chunks: " + e.getMessage(), "Look at the disk.");
    }
  }

  /**
   * Stores the chunks that only the log has: what is restored rests on them. Those of entries
   * before the newest snapshot were stored for it, but may have been collected since.
   *
   * @param after the snapshot that the state is read from, which has those before it
   * @param index the entry of that state
   */
  private void storeLogged(long after, long index) throws IOException {
    LoggedChunks missing = LoggedChunks.missing(log, chunks, after, index);
    try {
      while (missing.step()) {
        requests.requireRunning();
      }
    } catch (IndexOutOfBoundsException e) {
      throw new UserError("entries of the log were removed meanwhile", "Try again.");
    }
  }

  private void carryOut(
      RestorePlan plan, PastStates.Two states, long index, WalkLimits limits, ObjectNode answer) {
    RestoreSteps steps = new RestoreSteps(plan, states.second().version(), this::length, limits);
    RestoreBatches batches = new RestoreBatches(plan, steps, MOST_LEFT);
    RestoreRun run = begin(states);
    try {
      progress = new Progress(index, 0, batches.actions(), 0);
      for (List<RestoreStep> some = batches.next(); !some.isEmpty(); some = batches.next()) {
        requests.requireRunning();
        batches.answered(commit(run, some));
        progress = new Progress(index, batches.begun(), batches.actions(), batches.entries());
      }
    } catch (UserError e) {
      throw new UserError(
          e.message(), "What is restored stays so. Ask again: it goes on from there. " + e.hint());
    } finally {
      progress = null;
      post.accept(leader -> leader.endRestore(run));
    }
    moments.awaitDurable(batches.lastIndex());
    LOG.info(
        "restored a path to entry {}: {} entries, {} left",
        index,
        batches.entries(),
        batches.leftCount());
    told(batches, answer);
  }

  private RestoreRun begin(PastStates.Two states) {
    List<RestoreRun> begun = new ArrayList<>(); // on the agent's thread only
    AtomicBoolean isGivenUp = new AtomicBoolean();
    try {
      return agent.ask(
          leader -> {
            RestoreRun run = leader.beginRestore(states.second());
            begun.add(run);
            if (isGivenUp.get()) {
              leader.endRestore(run);
            }
            return run;
          });
    } catch (UserError e) {
      isGivenUp.set(true);
      post.accept(leader -> begun.forEach(leader::endRestore));
      throw e;
    }
  }

  /** Hands steps to the agent, which answers after some turns; not if it stops. */
  private RestoreAnswer commit(RestoreRun run, List<RestoreStep> steps) {
    return answers.ask(answer -> _ -> run.offer(steps, answer::complete));
  }

  /** Reads a chunk: an entry must not name one that cannot be read (hypersync.md 9.3). */
  private int length(Hash chunk) throws LostChunkException {
    requests.requireRunning();
    try {
      byte[] bytes = chunks.getVerified(chunk);
      if (bytes != null) {
        return bytes.length;
      }
    } catch (ChunkStoreException e) {
      LOG.warn("a file cannot be restored: {}", e.getMessage());
    }
    throw new LostChunkException(chunk);
  }

  private static ObjectNode planned(RestorePlan plan, int limit) {
    ObjectNode answer = JsonNodeFactory.instance.objectNode();
    Map<RestoreKind, Long> counts = new EnumMap<>(RestoreKind.class);
    ArrayNode list = answer.putArray("actions");
    int chars = 0;
    boolean isComplete = true;
    for (RestoreAction action : plan.actions()) {
      counts.merge(action.kind(), 1L, Long::sum);
      if (action.kind() == RestoreKind.TIMES) {
        continue;
      }
      chars += action.path().length();
      if (list.size() < limit && chars <= MOST_CHARS) {
        list.add(json(action));
      } else {
        isComplete = false;
      }
    }
    answer.set("planned", json(counts));
    return answer.put("list_complete", isComplete);
  }

  private static void told(RestoreBatches batches, ObjectNode answer) {
    answer.set("done", json(batches.done()));
    ArrayNode left = answer.putArray("left");
    int chars = 0;
    for (RestoreBatches.Left each : batches.left()) {
      chars += each.action().path().length();
      if (chars <= MOST_CHARS) {
        ObjectNode json = json(each.action()).put("reason", lower(each.reason()));
        json.put("errno", each.errno() == null ? null : each.errno().name());
        json.put("place", each.place());
        left.add(json);
      }
    }
    answer
        .put("left_count", batches.leftCount())
        .put("no_room", batches.hasNoRoom())
        .put("entries", batches.entries())
        .put("last_index", batches.lastIndex());
  }

  private static ObjectNode json(RestoreAction action) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("action", lower(action.kind()))
        .put("path", action.path())
        .put("type", lower(action.type()));
  }

  private static ObjectNode json(Map<RestoreKind, Long> counts) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    for (RestoreKind kind : RestoreKind.values()) {
      json.put(lower(kind), counts.getOrDefault(kind, 0L));
    }
    return json;
  }

  private static String lower(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }
}

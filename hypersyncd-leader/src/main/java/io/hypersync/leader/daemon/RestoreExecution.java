package io.hypersync.leader.daemon;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.leader.LeaderAgent;
import io.hypersync.leader.oplog.OpLog;
import io.hypersync.leader.restore.RestoreAnswer;
import io.hypersync.leader.restore.RestoreBatches;
import io.hypersync.leader.restore.RestoreRun;
import io.hypersync.leader.restore.RestoreStep;
import io.hypersync.leader.snapshot.LoggedChunks;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.restore.RestoreAction;
import io.hypersync.model.restore.RestoreKind;
import io.hypersync.model.restore.RestorePlan;
import io.hypersync.model.restore.RestoreSteps;
import io.hypersync.model.restore.RestoreSteps.LostChunkException;
import io.hypersync.model.state.FsState;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.agent.AgentQueries;
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
 * Carries out plans of restores and undos, and says what they do. One at a time: its callers take
 * turns.
 */
final class RestoreExecution {
  private static final Logger LOG = LoggerFactory.getLogger(RestoreExecution.class);
  private static final int MOST_LEFT = 1_000;
  private static final int MOST_CHARS = 4 << 20;

  private final AgentQueries<LeaderAgent> agent;
  private final Consumer<Consumer<LeaderAgent>> post;
  private final Moments moments;
  private final OpLog log;
  private final ChunkStore chunks;
  private final SlowRequests requests;
  private final AgentAnswers answers;
  private volatile @Nullable Progress progress;

  /** How far a restore is. */
  private record Progress(long atIndex, int done, int actions, long entries) {}

  /**
   * Plans for one leader.
   *
   * @param post runs a call of the agent on its thread, and has it do its work
   * @param requests which take turns with others that need memory for a state
   * @param ended completes when the leader answers nothing any more
   */
  RestoreExecution(
      AgentQueries<LeaderAgent> agent,
      Consumer<Consumer<LeaderAgent>> post,
      Moments moments,
      OpLog log,
      ChunkStore chunks,
      SlowRequests requests,
      CompletableFuture<Void> ended) {
    this.agent = agent;
    this.post = post;
    this.moments = moments;
    this.log = log;
    this.chunks = chunks;
    this.requests = requests;
    this.answers = new AgentAnswers(post, requests, ended);
  }

  /** How far the plan is that is under way; null if there is none. Any thread may ask. */
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

  /**
   * Stores the chunks that only the log has: what is restored rests on them. Those of entries
   * before the newest snapshot were stored for it, but may have been collected since.
   *
   * @param after the snapshot that the state is read from, which has those before it
   * @param index the entry of that state
   * @throws IOException if the log cannot be read
   */
  void storeLogged(long after, long index) throws IOException {
    LoggedChunks missing = LoggedChunks.missing(log, chunks, after, index);
    try {
      while (missing.step()) {
        requests.requireRunning();
      }
    } catch (IndexOutOfBoundsException e) {
      throw new UserError("entries of the log were removed meanwhile", "Try again.");
    }
  }

  /**
   * Carries out a plan, and adds to the answer what was done. Blocks until all of it is durable.
   *
   * @param planned the state that the plan begins with
   * @param index the entry that what comes back is of, for reports
   * @param author whose the entries are: an agent's name, or the empty one
   * @return how many entries were made
   * @throws UserError if it cannot go on: what was done stays so
   */
  long carryOut(
      RestorePlan plan,
      FsState planned,
      long index,
      String author,
      WalkLimits limits,
      ObjectNode answer) {
    RestoreSteps steps = new RestoreSteps(plan, planned.version(), this::length, limits);
    RestoreBatches batches = new RestoreBatches(plan, steps, MOST_LEFT);
    RestoreRun run = begin(planned, author);
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
    told(batches, answer);
    return batches.entries();
  }

  private RestoreRun begin(FsState planned, String author) {
    List<RestoreRun> begun = new ArrayList<>(); // on the agent's thread only
    AtomicBoolean isGivenUp = new AtomicBoolean();
    try {
      return agent.ask(
          leader -> {
            RestoreRun run = leader.beginRestore(planned, author);
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

  /**
   * What a plan does.
   *
   * @param limit how many paths are listed at most
   */
  static ObjectNode planned(RestorePlan plan, int limit) {
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

  static String lower(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }
}

package io.hypersync.leader.daemon;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.leader.LeaderAgent;
import io.hypersync.leader.history.HeapAllowance;
import io.hypersync.leader.history.PastSnapshotTask;
import io.hypersync.leader.history.PastStates;
import io.hypersync.leader.history.WholeDifference;
import io.hypersync.leader.oplog.OpLog;
import io.hypersync.leader.restore.StateRestores.Answer;
import io.hypersync.leader.snapshot.SnapshotHold;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.trie.PageCache;
import io.hypersync.model.trie.PageUnreadableException;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.runtime.file.FileProblems;
import io.hypersync.runtime.log.LogEvent;
import io.hypersync.snapshot.Snapshot;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The admin command {@code restore} with {@code all}: brings the whole workspace back to what it
 * was {@code at} a state, by one entry. With {@code dry_run} it only says what that would be.
 */
final class RestoreAllRequests {
  private static final Logger LOG = LoggerFactory.getLogger(RestoreAllRequests.class);
  private static final long NS_PER_MS = 1_000_000;

  private final Consumer<Consumer<LeaderAgent>> post;
  private final Moments moments;
  private final ChunkStore chunks;
  private final PastSnapshotMaker maker;
  private final Clock clock;
  private final SlowRequests requests;
  private final AgentAnswers agent;

  /**
   * Requests to one leader.
   *
   * @param post runs a call of the agent on its thread, and has it do its work
   * @param memory of the leader
   * @param requests which take turns with others that need memory for a state
   * @param ended completes when the leader answers nothing any more
   */
  RestoreAllRequests(
      Consumer<Consumer<LeaderAgent>> post,
      Moments moments,
      OpLog log,
      ChunkStore chunks,
      PageCache memory,
      Clock clock,
      SlowRequests requests,
      CompletableFuture<Void> ended) {
    this.post = post;
    this.moments = moments;
    this.chunks = chunks;
    this.maker =
        new PastSnapshotMaker(requests, log, chunks, memory, PastSnapshotTask.Records.NONE, clock);
    this.clock = clock;
    this.requests = requests;
    this.agent = new AgentAnswers(post, requests, ended);
  }

  ObjectNode run(ObjectNode args) {
    String at = args.path("at").asText();
    boolean isDry = args.path("dry_run").asBoolean(true);
    return requests.run(() -> isDry ? shown(at) : restored(at));
  }

  private ObjectNode shown(String at) {
    long beganNs = clock.monotonicNs();
    PastStates.Newest newest = moments.newest();
    try {
      long index = index(at, newest);
      SnapshotHold hold = moments.hold(newest, index);
      try {
        return told(difference(newest, index, _ -> true), index, newest)
            .put("dry_run", true)
            .put("duration_ms", (clock.monotonicNs() - beganNs) / NS_PER_MS);
      } finally {
        moments.end(hold);
      }
    } catch (IOException | ChunkStoreException | PageUnreadableException e) {
      throw explained(e);
    }
  }

  private ObjectNode restored(String at) {
    long beganNs = clock.monotonicNs();
    // Before the newest state is looked at: what is stored beside it rests on pages that it has.
    boolean isFree = agent.ask(answer -> leader -> answer.complete(leader.restores().begin()));
    if (!isFree) {
      throw new UserError("another restore is under way", "Try again when that is done.");
    }
    boolean isHandedOver = false;
    try {
      PastStates.Newest newest = moments.newest();
      long index = index(at, newest);
      SnapshotHold hold = moments.hold(newest, index);
      try {
        @Nullable Snapshot state =
            index == newest.index()
                ? null
                : maker.make(
                    index, hold, newest, past(newest), FsOp.RestoreState.MAX_MANIFEST_BYTES);
        WholeDifference difference = difference(newest, index, this::isStored);
        requireWhole(difference, index);
        ObjectNode told = told(difference, index, newest).put("dry_run", false);
        if (state == null) { // it is so already
          told.put("entries", 0).put("last_index", index);
        } else {
          isHandedOver = true;
          told.put("entries", 1).put("last_index", commit(state));
        }
        return told.put("duration_ms", (clock.monotonicNs() - beganNs) / NS_PER_MS);
      } finally {
        moments.end(hold);
      }
    } catch (IOException | ChunkStoreException | PageUnreadableException e) {
      throw explained(e);
    } finally {
      if (!isHandedOver) {
        post.accept(leader -> leader.restores().givenUp());
      }
    }
  }

  private long index(String at, PastStates.Newest newest) throws IOException {
    long index = moments.index(at, newest, past(newest));
    if (index < 1) {
      throw new UserError("before entry 1 there was nothing", "Restore the state of an entry.");
    }
    return index;
  }

  private PastStates past(PastStates.Newest newest) {
    return moments.past(newest, allowance());
  }

  private static HeapAllowance allowance() {
    return Moments.allowance("Restore a state that is closer to the newest one");
  }

  /** Reads the state for itself, so that the memory for it is free again. */
  private WholeDifference difference(PastStates.Newest newest, long index, Predicate<Hash> isStored)
      throws IOException {
    HeapAllowance allowance = allowance();
    PastStates.Two states = moments.past(newest, allowance).both(index, newest.index());
    return WholeDifference.of(
        states.second(), states.first(), new WalkLimits(requests, allowance), isStored);
  }

  /** Asking keeps the chunk, if a collection is under way. */
  private boolean isStored(Hash chunk) {
    return chunks.contains(chunk);
  }

  private static void requireWhole(WholeDifference difference, long index) {
    if (difference.lostFiles() > 0) {
      throw new UserError(
          "of the state of entry "
              + index
              + " the content of "
              + difference.lostFiles()
              + " files is gone: it was overwritten later, and collected",
          "States of snapshots have all of theirs: ./hypersync snapshot list. By path, what is there"
              + " can be restored: ./hypersync restore <path> --at "
              + index);
    }
  }

  /** Has the agent restore what is stored; returns when the entry is durable. */
  private long commit(Snapshot state) {
    return switch (agent.<Answer>ask(
        answer -> leader -> leader.restoreState(state, answer::complete))) {
      case Answer.Refused(String why, String hint) -> throw new UserError(why, hint);
      case Answer.Logged(long entry) -> {
        moments.awaitDurable(entry);
        LOG.info(
            LogEvent.RESTORED.marker(),
            "entry {} has restored the state of entry {}",
            entry,
            state.index());
        yield entry;
      }
    };
  }

  private static UserError explained(Exception e) {
    return switch (e) {
      case ChunkStoreException chunk ->
          new UserError("the state cannot be stored: " + chunk.getMessage(), "Look at the disk.");
      case PageUnreadableException page ->
          new UserError(
              "a page of the state cannot be read: " + page.getMessage(),
              "Workers are asked for it. Try again.");
      default ->
          new UserError(
              "the state cannot be read: " + FileProblems.describe(e), FileProblems.hint(e, ""));
    };
  }

  private static ObjectNode told(WholeDifference difference, long index, PastStates.Newest newest) {
    ObjectNode answer =
        JsonNodeFactory.instance
            .objectNode()
            .put("all", true)
            .put("at_index", index)
            .put("head_index", newest.index());
    answer.set("files", json(difference.files()));
    answer.set("directories", json(difference.directories()));
    return answer;
  }

  private static ObjectNode json(WholeDifference.Counts counts) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("back", counts.backs())
        .put("gone", counts.gone())
        .put("changed", counts.changed());
  }
}

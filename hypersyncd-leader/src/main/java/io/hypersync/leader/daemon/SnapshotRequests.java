package io.hypersync.leader.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.leader.LeaderAgent;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.trie.PageMissingException;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.agent.AgentQueries;
import io.hypersync.snapshot.Snapshot;
import io.hypersync.snapshot.SnapshotReader;
import io.hypersync.snapshot.schedule.SnapshotManager;
import io.hypersync.snapshot.schedule.SnapshotManager.Answer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * The admin command {@code snapshot}. Its argument {@code do} is {@code list}, {@code create} with
 * an optional {@code name}, or {@code pin}, {@code unpin}, {@code rm}, {@code verify} with {@code
 * snapshot}: a name or an index.
 */
final class SnapshotRequests {
  private static final long NS_PER_MS = 1_000_000;

  private final AgentQueries<LeaderAgent> agent;
  private final ChunkStore chunks;
  private final WorkspaceId workspace;
  private final CompletableFuture<Void> ended;

  /** A verification takes as much memory as the leader's state. */
  private final SlowRequests verifying;

  /**
   * Requests to one leader.
   *
   * @param verifying where snapshots are verified, one at a time
   * @param ended completes when the leader answers nothing any more
   */
  SnapshotRequests(
      AgentQueries<LeaderAgent> agent,
      ChunkStore chunks,
      WorkspaceId workspace,
      SlowRequests verifying,
      CompletableFuture<Void> ended) {
    this.agent = agent;
    this.chunks = chunks;
    this.workspace = workspace;
    this.ended = ended;
    this.verifying = verifying;
  }

  ObjectNode run(ObjectNode args) {
    String action = args.path("do").asText();
    return switch (action) {
      case "list" -> list();
      case "create" -> created(name(args.path("name")));
      case "pin" -> changed(args, (snapshots, known, told) -> snapshots.pin(known, true, told));
      case "unpin" -> changed(args, (snapshots, known, told) -> snapshots.pin(known, false, told));
      case "rm" -> changed(args, SnapshotManager::remove);
      case "verify" -> {
        Snapshot snapshot = find(args.path("snapshot").asText());
        yield verifying.run(() -> verify(snapshot));
      }
      default ->
          throw new UserError("there is nothing called \"" + action + "\" for snapshots", "");
    };
  }

  private ObjectNode list() {
    ArrayNode array = JsonNodeFactory.instance.arrayNode();
    known().forEach(snapshot -> array.add(json(snapshot)));
    ObjectNode answer = JsonNodeFactory.instance.objectNode();
    answer.set("snapshots", array);
    return answer;
  }

  private ObjectNode created(String name) {
    return done((snapshots, told) -> snapshots.take(name, told));
  }

  private interface Change {
    void ask(SnapshotManager snapshots, long index, Consumer<Answer> told);
  }

  private ObjectNode changed(ObjectNode args, Change change) {
    Snapshot snapshot = find(args.path("snapshot").asText());
    return done((snapshots, told) -> change.ask(snapshots, snapshot.index(), told));
  }

  /** Asks the agent for something and waits until it is done. */
  private ObjectNode done(BiConsumer<SnapshotManager, Consumer<Answer>> request) {
    CompletableFuture<Answer> answer = new CompletableFuture<>();
    var _ =
        agent.ask(
            leader -> {
              request.accept(leader.snapshots(), answer::complete);
              return true;
            });
    return switch (SlowRequests.awaited(answer, ended)) {
      case Answer.Done(Snapshot snapshot) -> json(snapshot);
      case Answer.Failed(String why) -> throw new UserError(why, "");
    };
  }

  /** Reads all pages of a snapshot, which may take minutes. */
  private ObjectNode verify(Snapshot snapshot) {
    try {
      long weight = Manifest.weight(snapshot.manifest());
      if (!HeapBudget.hasRoomFor(weight)) {
        throw new UserError(
            "there is no memory for a second state of " + weight + " bytes",
            "Start the leader with a larger heap: HYPERSYNC_JAVA_OPTS=-Xmx"
                + HeapBudget.twiceMib()
                + "m");
      }
      Manifest manifest = SnapshotReader.verify(snapshot, chunks, workspace);
      return json(snapshot)
          .put("verified", true)
          .put("nodes", manifest.state().nodes().size())
          .put("root", manifest.state().root().toString());
    } catch (DecodeException | PageMissingException e) {
      throw new UserError(
          "the snapshot of entry " + snapshot.index() + " is damaged: " + e.getMessage(),
          "A worker may have the page: ./hypersync scrub --run. If not,"
              + " restart the leader: it starts from an older one or replays the log, and its next snapshot"
              + " writes the page again.");
    } catch (ChunkStoreException e) {
      throw new UserError(
          "the snapshot of entry " + snapshot.index() + " cannot be read: " + e.getMessage(),
          "Try again; look at the disk if it stays so.");
    }
  }

  private List<Snapshot> known() {
    return agent.ask(leader -> List.copyOf(leader.snapshots().all()));
  }

  /** The snapshot of this name, or of this index. */
  private Snapshot find(String wanted) {
    List<Snapshot> known = known();
    for (Snapshot snapshot : known) {
      if (!wanted.isEmpty() && snapshot.name().equals(wanted)) {
        return snapshot;
      }
    }
    for (Snapshot snapshot : known) {
      if (Long.toString(snapshot.index()).equals(wanted)) {
        return snapshot;
      }
    }
    throw new UserError(
        "there is no snapshot \"" + wanted + "\"", "List them: ./hypersync snapshot list");
  }

  private static String name(JsonNode wanted) {
    String name = wanted.asText();
    if (name.getBytes(StandardCharsets.UTF_8).length > Snapshot.MAX_NAME_BYTES) {
      throw new UserError(
          "the name is longer than " + Snapshot.MAX_NAME_BYTES + " bytes", "Choose a shorter one.");
    }
    if (!name.isEmpty() && name.chars().allMatch(Character::isDigit)) {
      throw new UserError(
          "a name of digits only could be taken for an index", "Choose one with a letter.");
    }
    if (Moments.isMoment(name)) {
      throw new UserError(
          "\"" + name + "\" could be taken for a time or the newest state", "Choose another name.");
    }
    return name;
  }

  static ObjectNode json(Snapshot snapshot) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("index", snapshot.index())
        .put("name", snapshot.name())
        .put("pinned", snapshot.isPinned())
        .put("taken_at", Instant.ofEpochMilli(snapshot.takenNs() / NS_PER_MS).toString())
        .put("pages_written", snapshot.pages())
        .put("bytes_written", snapshot.bytes())
        .put("manifest", snapshot.hash().toString());
  }
}

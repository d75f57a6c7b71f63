package io.hypersync.worker.profile;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import io.hypersync.fixtures.Entries;
import io.hypersync.fixtures.States;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.RenameMode;
import io.hypersync.model.op.WriteMode;
import io.hypersync.model.state.FsState;
import io.hypersync.worker.fuse.protocol.RequestId;
import io.hypersync.worker.intents.FinishedMutation;
import io.hypersync.worker.intents.Mutation;
import io.hypersync.worker.intents.Mutations;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The result of a profile of given mutations. */
class ProfileTest {
  private static final long S = 1_000_000_000L;
  private static final NodeId OLD = new NodeId(0, 10);
  private static final NodeId OLD_FILE = new NodeId(0, 11);
  private static final NodeId FRESH = new NodeId(0, 20);
  private static final NodeId BRIEF = new NodeId(0, 21);

  private FsState state = FsState.genesis();
  private long timeNs;
  private Profile profile = new Profile(state, 0);

  @BeforeEach
  void somethingIsThere() {
    apply(new FsOp.MakeDir(FsState.ROOT, Name.of("old"), 0755, 0, 0), OLD);
    apply(new FsOp.CreateFile(OLD, Name.of("file"), 0644, 0, 0), OLD_FILE);
    profile = new Profile(state, 0);
  }

  @Test
  void changesCountForTheirPathAndForAllDirectoriesAbove() {
    did(new FsOp.MakeDir(OLD, Name.of("fresh"), 0755, 0, 0), FRESH);
    did(new FsOp.CreateFile(FRESH, Name.of("a"), 0644, 0, 0), new NodeId(0, 22));
    did(write(OLD_FILE, 100));
    did(write(OLD_FILE, 50));
    assertEquals(
        List.of("old/file 2/2/150/0/0", "old/fresh 1/0/0/1/0", "old/fresh/a 1/0/0/1/0"),
        rows("paths"));
    assertEquals(List.of("old 4/2/150/2/0", "old/fresh 1/0/0/1/0"), rows("directories"));
  }

  @Test
  void whatIsGoneAtTheEndIsFoundWhereItWasOrWasMade() {
    did(write(OLD_FILE, 7));
    did(new FsOp.Unlink(OLD, Name.of("file")));
    did(new FsOp.MakeDir(OLD, Name.of("brief"), 0755, 0, 0), FRESH);
    did(new FsOp.CreateFile(FRESH, Name.of("tmp"), 0644, 0, 0), BRIEF);
    did(write(BRIEF, 9));
    did(new FsOp.Unlink(FRESH, Name.of("tmp")));
    did(new FsOp.RemoveDir(OLD, Name.of("brief")));
    assertEquals(
        List.of("old/brief/tmp 3/1/9/1/1", "old/brief 2/0/0/1/1", "old/file 2/1/7/0/1"),
        rows("paths"));
  }

  @Test
  void aRenameMakesOneNameAndRemovesAnother() {
    did(new FsOp.Rename(OLD, Name.of("file"), OLD, Name.of("new"), RenameMode.REPLACE));
    assertEquals(List.of("old/new 1/0/0/1/0", "old/file 0/0/0/0/1"), rows("paths"));
  }

  @Test
  void writesHaveSizesAndBursts() {
    for (int i = 0; i < 90; i++) {
      did(write(OLD_FILE, 100), NO_NODE, S + i);
    }
    for (int i = 0; i < 10; i++) {
      did(write(OLD_FILE, 60_000), NO_NODE, 5 * S + i);
    }
    JsonNode writes = profile.end(state, 10 * S).tree(9).path("writes");
    assertEquals(100, writes.path("count").asInt());
    assertEquals(90 * 100 + 10 * 60_000, writes.path("bytes").asInt());
    assertEquals(100, writes.path("size_bytes_p50").asInt());
    assertEquals(60_000, writes.path("size_bytes_p99").asInt(), 600);
    assertEquals("{\"512\":90,\"65536\":10}", writes.path("sizes").toString());
    assertEquals(90, writes.path("per_s_max").asInt());
    assertEquals(10, writes.path("per_s_p50").asInt(), "of two seconds with writes");
  }

  @Test
  void opsAreCountedByKindAndRefusalsApart() {
    did(new FsOp.Unlink(OLD, Name.of("file")));
    did(new FsOp.MakeDir(OLD, Name.of("d"), 0755, 0, 0), FRESH);
    profile.add(finished(new FsOp.Unlink(OLD, Name.of("none")), null), 0);
    JsonNode tree = profile.end(state, 2 * S).tree(9);
    assertEquals("{\"MakeDir\":1,\"Unlink\":1}", tree.path("ops").toString());
    assertEquals(1, tree.path("refused").asInt());
    assertEquals(2.0, tree.path("seconds").asDouble());
  }

  @Test
  void onlySoManyPathsAreShownAndAllAreCounted() {
    for (int i = 0; i < 5; i++) {
      did(new FsOp.CreateFile(OLD, Name.of("f" + i), 0644, 0, 0), new NodeId(1, i));
    }
    JsonNode tree = profile.end(state, S).tree(2);
    assertEquals(2, tree.path("paths").size());
    assertEquals(5, tree.path("paths_in_all").asInt());
  }

  private static final NodeId NO_NODE = LogEntry.NO_NODE;

  private List<String> rows(String what) {
    List<String> rows = new ArrayList<>();
    for (JsonNode row : profile.end(state, S).tree(99).path(what)) {
      rows.add(
          row.path("path").asText()
              + " "
              + String.join(
                  "/",
                  List.of(
                      row.path("mutations").asText(),
                      row.path("writes").asText(),
                      row.path("bytes").asText(),
                      row.path("created").asText(),
                      row.path("removed").asText())));
    }
    return rows;
  }

  private void did(FsOp op) {
    did(op, NO_NODE);
  }

  private void did(FsOp op, NodeId created) {
    did(op, created, 0);
  }

  private void did(FsOp op, NodeId created, long nowNs) {
    apply(op, created);
    profile.add(finished(op, entry(op, created)), nowNs);
  }

  private static FsOp write(NodeId node, int length) {
    List<ChunkRef> chunks = List.of(new ChunkRef(new Hash(1, 2, 3, length), length));
    return new FsOp.Write(node, WriteMode.PWRITE, 0, chunks, false);
  }

  private void apply(FsOp op, NodeId created) {
    timeNs++;
    state = States.after(state, op, timeNs, created);
  }

  private static FinishedMutation finished(FsOp op, @Nullable LogEntry entry) {
    Mutation mutation = Mutations.of(new RequestId(1), op, Mutations.ANSWERED);
    return new FinishedMutation(new IntentId(new ClientId(1, 1), 1), mutation, entry);
  }

  private static LogEntry entry(FsOp op, NodeId created) {
    return Entries.of(1, op).creating(created).entry();
  }
}

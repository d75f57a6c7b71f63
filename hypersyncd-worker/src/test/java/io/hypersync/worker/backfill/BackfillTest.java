package io.hypersync.worker.backfill;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.fixtures.States;
import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.WriteMode;
import io.hypersync.model.op.XattrMode;
import io.hypersync.model.state.FsState;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Chunks that are missing here are fetched, few at a time, and none is passed over. */
class BackfillTest {
  private static final long TURN_NS = 1_000_000_000L;
  private static final long PASS_NS = 100 * TURN_NS;

  private final Set<Hash> here = new HashSet<>();
  private final List<Hash> asked = new ArrayList<>();
  private final Backfill backfill = new Backfill(here::contains);
  private FsState state = FsState.genesis();
  private long nowNs = 5;
  private int nodes = 1;

  @Test
  void nothingIsLookedForBeforeItBegins() {
    file(3);
    assertEquals(0, turn());
    assertFalse(backfill.isWanted());
  }

  @Test
  void whatIsMissingIsFetchedFewAtATime() {
    file(40);
    xattr(7);
    here.add(chunk(3).hash());
    backfill.begin();
    assertEquals(Backfill.MAX_IN_FLIGHT, turn());
    assertEquals(0, turn(), "as many as may be are on their way");
    answerAll();
    runToTheEnd();
    assertEquals(40, asked.size(), "39 of the file and the attribute");
    assertEquals(Set.copyOf(asked).size(), asked.size(), "each once");
    assertTrue(here.contains(chunk(1_007).hash()));
    assertEquals(40, backfill.fetched());
  }

  @Test
  void manyFilesTakeManyTurns() {
    for (int i = 0; i < 900; i++) {
      file(0);
    }
    file(1);
    backfill.begin();
    assertEquals(0, turn(), "not all nodes in one turn");
    runToTheEnd();
    assertEquals(1, asked.size());
  }

  @Test
  void turnsKeepADistance() {
    file(1);
    backfill.begin();
    assertEquals(1, backfill.work(state, nowNs).size());
    backfill.stored(chunk(0).hash());
    assertEquals(0, backfill.work(state, nowNs + 1).size());
    assertTrue(backfill.isWanted());
  }

  @Test
  void whatFailsIsTriedAgainInAnotherPassAfterAPause() {
    file(2);
    backfill.begin();
    turn();
    backfill.failed(chunk(0).hash());
    here.add(chunk(1).hash());
    backfill.stored(chunk(1).hash());
    turn();
    assertTrue(backfill.isWanted());
    assertEquals(0, turn(), "it pauses");
    nowNs += PASS_NS;
    assertEquals(1, turn());
    answerAll();
    runToTheEnd();
    assertEquals(3, asked.size());
  }

  /** A pass walks the whole state. */
  @Test
  void whatNobodyHasIsLookedForLessAndLessOften() {
    file(1);
    backfill.begin();
    int asks = 0;
    for (int minute = 0; minute < 60; minute++) {
      nowNs += PASS_NS;
      asks += turn();
      backfill.failed(chunk(0).hash());
      turn();
    }
    assertTrue(asks > 2 && asks < 10, "asked for " + asks + " times in an hour");
    assertTrue(backfill.isWanted());
  }

  /** The entry that was applied without it may become visible behind the pass. */
  @Test
  void aChunkThatAnEntryWasAppliedWithoutTakesAnotherPass() {
    backfill.missing();
    turn();
    assertTrue(backfill.isWanted());
    file(1);
    nowNs += PASS_NS;
    assertEquals(1, turn());
  }

  @Test
  void whatWasOnItsWayWhenTheLeaderWasLostIsAskedForAgain() {
    file(2);
    backfill.begin();
    assertEquals(2, turn());
    backfill.leaderLost();
    turn();
    assertTrue(backfill.isWanted());
    nowNs += PASS_NS;
    assertEquals(2, turn());
    answerAll();
    runToTheEnd();
  }

  @Test
  void aFileThatIsGoneOrHasShrunkMeanwhileStopsNothing() {
    file(40);
    NodeId first = new NodeId(0, nodes);
    file(1);
    backfill.begin();
    turn();
    answerAll();
    apply(new FsOp.Unlink(FsState.ROOT, Name.of("f" + first.low())));
    runToTheEnd();
    assertTrue(asked.contains(chunk(0).hash()));
  }

  @Test
  void whenExtentsAreMovedAnotherPassFollows() {
    file(1);
    here.add(chunk(0).hash());
    backfill.begin();
    backfill.extentsMoved();
    turn();
    assertTrue(backfill.isWanted());
    nowNs += PASS_NS;
    turn();
    assertFalse(backfill.isWanted());
  }

  @Test
  void aFullDiskEndsThePass() {
    file(40);
    backfill.begin();
    turn();
    backfill.failed(chunk(0).hash());
    backfill.pause(nowNs);
    assertEquals(0, turn());
    nowNs += PASS_NS;
    assertEquals(1, turn(), "the others are still on their way");
  }

  /** Another answer for a chunk that is not on its way is somebody else's. */
  @Test
  void chunksOfOthersAreNotCounted() {
    backfill.begin();
    backfill.stored(chunk(1).hash());
    backfill.failed(chunk(2).hash());
    runToTheEnd();
    assertEquals(0, backfill.fetched());
  }

  private int turn() {
    nowNs += TURN_NS;
    List<ChunkRef> now = backfill.work(state, nowNs);
    now.forEach(chunk -> asked.add(chunk.hash()));
    return now.size();
  }

  private void answerAll() {
    for (Hash hash : asked) {
      here.add(hash);
      backfill.stored(hash);
    }
  }

  private void runToTheEnd() {
    for (int i = 0; i < 100 && backfill.isWanted(); i++) {
      turn();
      answerAll();
    }
    assertFalse(backfill.isWanted());
  }

  private void file(int chunks) {
    apply(new FsOp.CreateFile(FsState.ROOT, Name.of("f" + (nodes + 1)), 0644, 0, 0));
    if (chunks > 0) {
      List<ChunkRef> content = new ArrayList<>();
      for (int i = 0; i < chunks; i++) {
        content.add(chunk(i));
      }
      apply(new FsOp.Write(new NodeId(0, nodes), WriteMode.PWRITE, 0, content, false));
    }
  }

  private void xattr(int value) {
    byte[] name = {'u', 's', 'e', 'r', '.', 'a'};
    apply(new FsOp.SetXattr(new NodeId(0, nodes), name, chunk(1_000 + value), XattrMode.CREATE));
  }

  private void apply(FsOp op) {
    if (op instanceof FsOp.CreateFile) {
      nodes++;
    }
    state = States.after(state, op, nodes, new NodeId(0, nodes));
  }

  private static ChunkRef chunk(int value) {
    byte[] bytes = {(byte) value, (byte) (value >> 8)};
    return new ChunkRef(Blake3.hash(bytes), bytes.length);
  }
}

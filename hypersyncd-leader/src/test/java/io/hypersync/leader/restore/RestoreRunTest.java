package io.hypersync.leader.restore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.fixtures.Entries;
import io.hypersync.leader.sequencer.Sequencer;
import io.hypersync.model.difference.StateDifference.Limits;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.RenameMode;
import io.hypersync.model.op.WriteMode;
import io.hypersync.model.restore.RestoreKind;
import io.hypersync.model.restore.RestorePlan;
import io.hypersync.model.restore.RestorePlanner;
import io.hypersync.model.restore.RestoreSteps;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.FsStateMachine;
import io.hypersync.model.state.Node;
import io.hypersync.model.state.Outcome;
import io.hypersync.model.state.Stamp;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** How a plan is committed: in turns, beside others, and what is left. */
class RestoreRunTest {
  private static final int CHUNK = 100;

  /** S_head, and who else writes. */
  private static final class Head implements RestoreRun.Leader {
    private FsState state = FsState.genesis();
    private long index;
    private boolean takesMore = true;
    private long fullAfter = Long.MAX_VALUE;
    private final Set<Hash> gone = new HashSet<>();
    private final List<FsOp> ops = new ArrayList<>();

    @Override
    public FsState head() {
      return state;
    }

    @Override
    public boolean takesMore() {
      return takesMore;
    }

    @Override
    public @Nullable Errno lacking(FsOp op) {
      return op.chunks().stream().anyMatch(ref -> gone.contains(ref.hash())) ? Errno.EIO : null;
    }

    @Override
    public Sequencer.Result sequence(FsOp op) {
      boolean needsRoom = !(op instanceof FsOp.Unlink || op instanceof FsOp.RemoveDir);
      if (index >= fullAfter && needsRoom) {
        return new Sequencer.Result.Refused(Errno.ENOSPC);
      }
      NodeId made = new NodeId(1L << 60, index + 1);
      FsOp resolved = FsStateMachine.resolve(state, op);
      return switch (FsStateMachine.apply(state, resolved, new Stamp(index + 1, made))) {
        case Outcome.Failed(Errno errno) -> new Sequencer.Result.Refused(errno);
        case Outcome.Applied(FsState next) -> {
          state = next;
          index++;
          ops.add(resolved);
          NodeId created = next.node(made) == null ? LogEntry.NO_NODE : made;
          Entries entry = Entries.of(index, resolved).creating(created);
          yield new Sequencer.Result.Sequenced(entry.entry(), entry.encoded());
        }
      };
    }

    void did(FsOp op) {
      assertTrue(sequence(op) instanceof Sequencer.Result.Sequenced, op::toString);
    }

    NodeId at(String name) {
      Node root = Objects.requireNonNull(state.node(FsState.ROOT));
      return Objects.requireNonNull(state.lookup(root, Name.of(name)), name).id();
    }
  }

  private final Head head = new Head();
  private final List<RestoreAnswer> answers = new ArrayList<>();

  private static FsOp write(NodeId node, String text) {
    return new FsOp.Write(node, WriteMode.PWRITE, 0, chunks(text), false);
  }

  private static List<ChunkRef> chunks(String text) {
    return List.of(new ChunkRef(Blake3.hash(text.getBytes(StandardCharsets.UTF_8)), CHUNK));
  }

  private void file(String name, String text) {
    head.did(new FsOp.CreateFile(FsState.ROOT, Name.of(name), 0644, 0, 0));
    head.did(write(head.at(name), text));
  }

  private void unlink(String name) {
    head.did(new FsOp.Unlink(FsState.ROOT, Name.of(name)));
  }

  private RestoreBatches batches(FsState past) throws Exception {
    RestorePlan plan = RestorePlanner.plan(head.state, past, List.of(), Limits.NONE);
    return new RestoreBatches(
        plan, new RestoreSteps(plan, past.version(), _ -> CHUNK, Limits.NONE), 100);
  }

  /** Commits all batches, with so many turns at most for each. */
  private void run(RestoreRun run, RestoreBatches batches) {
    for (List<RestoreStep> some = batches.next(); !some.isEmpty(); some = batches.next()) {
      answers.clear();
      run.offer(some, answers::add);
      for (int turn = 0; turn < 100 && answers.isEmpty(); turn++) {
        int _ = run.tick();
      }
      batches.answered(answers.getFirst());
    }
  }

  @Test
  void whatIsInTheWayMayBeTheDirectoryThatHasAnotherNameOfTheFile() throws Exception {
    file("a", "text");
    NodeId file = head.at("a");
    head.did(new FsOp.Link(file, FsState.ROOT, Name.of("b")));
    FsState past = head.state;
    unlink("a");
    head.did(new FsOp.MakeDir(FsState.ROOT, Name.of("a"), 0755, 0, 0));
    NodeId directory = head.at("a");
    unlinkAfterLinking(file, directory, "b");
    RestoreBatches batches = batches(past);
    run(new RestoreRun(head.state, head), batches);
    assertEquals(List.of(), batches.left());
    assertEquals(List.of(file, file), List.of(head.at("a"), head.at("b")));
  }

  private void unlinkAfterLinking(NodeId file, NodeId directory, String name) {
    head.did(new FsOp.Link(file, directory, Name.of("c")));
    head.did(new FsOp.Link(file, directory, Name.of("d")));
    unlink(name);
  }

  @Test
  void aFileKeepsItsLastNameIfAnotherOneCouldNotBeGiven() throws Exception {
    file("d", "text");
    NodeId file = head.at("d");
    FsState past = head.state;
    head.did(new FsOp.Link(file, FsState.ROOT, Name.of("a")));
    head.did(new FsOp.Link(file, FsState.ROOT, Name.of("b")));
    unlink("d");
    RestoreBatches batches = batches(past);
    RestoreRun run = new RestoreRun(head.state, head);
    head.did(new FsOp.MakeDir(FsState.ROOT, Name.of("d"), 0755, 0, 0)); // somebody else
    run(run, batches);
    assertEquals(2, batches.leftCount(), () -> batches.left().toString());
    Node kept = Objects.requireNonNull(head.state.node(file));
    assertEquals(1, kept.attributes().nlink());
  }

  @Test
  void commitsManyStepsInManyTurns() throws Exception {
    for (int i = 0; i < 300; i++) {
      file("f" + i, "text " + i);
    }
    FsState past = head.state;
    for (int i = 0; i < 300; i++) {
      unlink("f" + i);
    }
    RestoreBatches batches = batches(past);
    RestoreRun run = new RestoreRun(head.state, head);
    long before = head.index;
    run.offer(batches.next(), answers::add);
    int first = run.tick();
    assertTrue(first >= 64 && first < 70, first + " entries in one turn");
    assertEquals(before + first, head.index);
    head.takesMore = false;
    assertEquals(0, run.tick(), "the log takes no more");
    head.takesMore = true;
    while (answers.isEmpty()) {
      assertTrue(run.tick() > 0);
    }
    batches.answered(answers.getFirst());
    run(run, batches);
    assertEquals(300, batches.done().get(RestoreKind.MADE));
    assertEquals(0, batches.leftCount());
    assertEquals(head.index, batches.lastIndex());
    assertEquals(head.index - before, batches.entries());
    assertEquals(0, run.tick(), "there is nothing more to do");
    assertTrue(batches(past).next().isEmpty(), "all is there");
  }

  @Test
  void aFileThatHasNoNameYetIsNeededUntilItHas() throws Exception {
    file("f", "text");
    FsState past = head.state;
    unlink("f");
    RestoreBatches batches = batches(past);
    RestoreRun run = new RestoreRun(head.state, head);
    List<RestoreStep> steps = batches.next();
    run.offer(steps.subList(0, 2), answers::add);
    int _ = run.tick();
    NodeId made = Objects.requireNonNull(head.state.orphans().last()).node();
    assertTrue(run.needs(made));
    run.offer(steps.subList(2, steps.size()), answers::add);
    int _ = run.tick();
    assertFalse(run.needs(made));
    assertEquals(made, head.at("f"));
  }

  @Test
  void whatSomebodyHasChangedIsLeftAndTheRestIsDone() throws Exception {
    file("changed", "one");
    file("gone", "two");
    file("other", "three");
    FsState past = head.state;
    head.did(write(head.at("changed"), "later"));
    unlink("gone");
    head.did(write(head.at("other"), "later"));
    RestoreBatches batches = batches(past);
    RestoreRun run = new RestoreRun(head.state, head);
    head.did(write(head.at("changed"), "meanwhile"));
    file("gone", "another one");
    long before = head.index;
    run(run, batches);
    assertEquals(
        List.of("changed CHANGED_MEANWHILE", "gone CHANGED_MEANWHILE"),
        batches.left().stream()
            .map(left -> left.action().path() + " " + left.reason())
            .sorted()
            .toList());
    assertEquals(2, batches.leftCount(), "the time of the root is not worth a word");
    assertEquals(1, batches.done().get(RestoreKind.CHANGED));
    assertEquals(
        List.of(head.at("other")),
        head.ops.subList((int) before, (int) head.index).stream()
            .filter(FsOp.Write.class::isInstance)
            .map(op -> ((FsOp.Write) op).node())
            .filter(node -> past.node(node) != null)
            .toList());
  }

  /** The removals come last: a full disk must not keep them from being done. */
  @Test
  void goesOnWhenThereIsNoRoom() throws Exception {
    for (int i = 0; i < 5; i++) {
      file("f" + i, "text");
    }
    FsState past = head.state;
    for (int i = 0; i < 5; i++) {
      unlink("f" + i);
    }
    file("later", "text");
    RestoreBatches batches = batches(past);
    head.fullAfter = head.index + 10; // two and a half files
    run(new RestoreRun(head.state, head), batches);
    assertTrue(batches.hasNoRoom());
    assertEquals(2, batches.done().get(RestoreKind.MADE));
    assertEquals(1, batches.done().get(RestoreKind.REMOVED));
    assertEquals(
        List.of("NO_ROOM", "NO_ROOM", "NO_ROOM"),
        batches.left().stream()
            .filter(left -> left.action().kind() == RestoreKind.MADE)
            .map(left -> left.reason().name())
            .toList());
    head.fullAfter = Long.MAX_VALUE;
    RestoreBatches again = batches(past);
    run(new RestoreRun(head.state, head), again);
    assertEquals(3, again.done().get(RestoreKind.MADE));
    assertEquals(0, again.leftCount());
    assertFalse(again.hasNoRoom());
    assertTrue(batches(past).next().isEmpty());
  }

  /** Nobody has changed anything meanwhile. */
  @Test
  void whatRestsOnSomethingThatHasNoRoomHasNoneEither() throws Exception {
    head.did(new FsOp.MakeDir(FsState.ROOT, Name.of("d"), 0755, 0, 0));
    head.did(new FsOp.CreateFile(head.at("d"), Name.of("f"), 0644, 0, 0));
    FsState past = head.state;
    head.did(new FsOp.Unlink(head.at("d"), Name.of("f")));
    head.did(new FsOp.RemoveDir(FsState.ROOT, Name.of("d")));
    RestoreBatches batches = batches(past);
    head.fullAfter = head.index;
    run(new RestoreRun(head.state, head), batches);
    assertTrue(batches.leftCount() >= 2, "the directory, and what is in it");
    for (RestoreBatches.Left left : batches.left()) {
      assertEquals(RestoreBatches.Reason.NO_ROOM, left.reason(), left::toString);
    }
  }

  /** A collection has taken a chunk since it was read: half of the file would be lost for ever. */
  @Test
  void aFileIsNotChangedByHalf() throws Exception {
    file("f", "one");
    head.did(new FsOp.Write(head.at("f"), WriteMode.PWRITE, 8 * CHUNK, chunks("two"), false));
    FsState past = head.state;
    head.did(write(head.at("f"), "later"));
    head.did(new FsOp.Write(head.at("f"), WriteMode.PWRITE, 8 * CHUNK, chunks("too"), false));
    FsState before = head.state;
    RestoreBatches batches = batches(past);
    head.gone.add(chunks("two").getFirst().hash());
    RestoreRun run = new RestoreRun(head.state, head);
    run(run, batches);
    assertEquals(before.node(head.at("f")), head.state.node(head.at("f")));
    assertEquals(RestoreBatches.Reason.CHUNK_LOST, batches.left().getFirst().reason());
    head.gone.clear();
    run(new RestoreRun(head.state, head), batches(past));
    assertTrue(batches(past).next().isEmpty());
  }

  @Test
  void whatTheNextStepsMentionIsNamed() throws Exception {
    file("f", "one");
    FsState past = head.state;
    unlink("f");
    RestoreRun run = new RestoreRun(head.state, head);
    run.offer(batches(past).next(), answers::add);
    List<Hash> named = new ArrayList<>();
    run.promised(named::add);
    assertEquals(List.of(chunks("one").getFirst().hash()), named);
    for (int turn = 0; turn < 100 && answers.isEmpty(); turn++) {
      int _ = run.tick();
    }
    named.clear();
    run.promised(named::add);
    assertEquals(List.of(), named);
  }

  @Test
  void saysUnderWhichNameItHasLeftSomething() throws Exception {
    file("f", "text");
    FsState past = head.state;
    unlink("f");
    file("f", "later");
    RestoreBatches batches = batches(past);
    head.fullAfter = head.index + 5; // it is made in four steps, and has another name yet
    run(new RestoreRun(head.state, head), batches);
    RestoreBatches.Left left = batches.left().getFirst();
    assertEquals("f", left.action().path());
    assertEquals(".hypersync-restore-1", left.place());
    assertEquals(CHUNK, required(".hypersync-restore-1").attributes().size());
  }

  /** As with {@code --planned-at}: the plan that was shown is carried out, and no other. */
  @Test
  void whatSomebodyHasDoneSinceTheDryRunIsLeft() throws Exception {
    file("f", "one");
    FsState past = head.state;
    head.did(write(head.at("f"), "later"));
    head.did(new FsOp.MakeDir(FsState.ROOT, Name.of("tmp"), 0755, 0, 0));
    head.did(new FsOp.CreateFile(head.at("tmp"), Name.of("x"), 0644, 0, 0));
    file("g", "shown");
    FsState shown = head.state;
    head.did(write(head.at("f"), "after the dry run"));
    file("h", "after the dry run");
    head.did(
        new FsOp.Rename(
            FsState.ROOT, Name.of("tmp"), FsState.ROOT, Name.of("out"), RenameMode.NO_REPLACE));
    NodeId out = head.at("out");
    RestorePlan plan = RestorePlanner.plan(shown, past, List.of(), Limits.NONE);
    RestoreBatches batches =
        new RestoreBatches(
            plan, new RestoreSteps(plan, past.version(), _ -> CHUNK, Limits.NONE), 100);
    run(new RestoreRun(shown, head), batches);
    assertEquals(
        List.of("f", "tmp", "tmp/x"),
        batches.left().stream().map(left -> left.action().path()).sorted().toList());
    assertEquals(1, batches.done().get(RestoreKind.REMOVED));
    assertEquals(CHUNK, required("h").attributes().size());
    Node kept = Objects.requireNonNull(head.state.node(out));
    assertEquals(1, head.state.lookup(kept, Name.of("x")) == null ? 0 : 1);
  }

  @Test
  void aLostChunkIsCountedAndNothingOfItsFileIsDone() throws Exception {
    file("f", "lost");
    file("g", "there");
    FsState past = head.state;
    unlink("f");
    unlink("g");
    ChunkRef lost = ((FsOp.Write) write(FsState.ROOT, "lost")).chunks().getFirst();
    RestorePlan plan = RestorePlanner.plan(head.state, past, List.of(), Limits.NONE);
    RestoreBatches batches =
        new RestoreBatches(
            plan,
            new RestoreSteps(
                plan,
                past.version(),
                chunk -> {
                  if (chunk.equals(lost.hash())) {
                    throw new RestoreSteps.LostChunkException(chunk);
                  }
                  return CHUNK;
                },
                Limits.NONE),
            100);
    run(new RestoreRun(head.state, head), batches);
    assertEquals(RestoreBatches.Reason.CHUNK_LOST, batches.left().getFirst().reason());
    assertEquals(1, batches.done().get(RestoreKind.MADE));
    assertEquals(CHUNK, required("g").attributes().size());
    assertEquals(2, head.state.orphans().size(), "what was unlinked, and nothing new");
  }

  private Node required(String name) {
    return Objects.requireNonNull(head.state.node(head.at(name)));
  }

  @Test
  void givesTheTimesAndTheContentThatWere() throws Exception {
    file("f", "text");
    FsState past = head.state;
    head.did(write(head.at("f"), "later"));
    Node then = Objects.requireNonNull(past.node(head.at("f")));
    run(new RestoreRun(head.state, head), batches(past));
    Node now = required("f");
    assertEquals(then.attributes().mtimeNs(), now.attributes().mtimeNs());
    assertEquals(then.content().root(past.version()), now.content().root(past.version()));
  }
}

package io.hypersync.leader.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.fixtures.Entries;
import io.hypersync.fixtures.States;
import io.hypersync.leader.MemoryOpLog;
import io.hypersync.leader.recovery.AuditFinding;
import io.hypersync.leader.recovery.RootAudit;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.RestoredStates;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whether an audit finds the log right or wrong. */
class RootAuditorTest {
  private static final byte[] NOTHING = {};

  private FsState state = FsState.genesis();
  private long index;

  @ParameterizedTest(name = "asked about entry {0} of {1}")
  @CsvSource({"1, 1", "5, 9000", "5000, 9000", "9000, 9000"})
  void aRightLogIsFoundRight(int asked, int entries) {
    Hash root = Hash.ZERO;
    List<byte[]> log = new ArrayList<>();
    for (int i = 1; i <= entries; i++) {
      log.add(logged(null));
      if (i == asked) {
        root = state.root();
      }
    }
    assertEquals(new AuditFinding.Right(asked, root), audit(asked, log));
  }

  @Test
  void aWrongRootIsFoundAndNamed() {
    List<byte[]> log = new ArrayList<>();
    for (int i = 1; i <= 20; i++) {
      log.add(logged(i == 13 ? Hash.ZERO : null));
    }
    Hash replayed = assertInstanceOf(AuditFinding.Right.class, audit(12, log)).root();
    assertTrue(!replayed.equals(Hash.ZERO));
    AuditFinding.Wrong wrong = assertInstanceOf(AuditFinding.Wrong.class, audit(13, log));
    assertEquals(13, wrong.index());
    assertTrue(wrong.what().contains("the log says " + Hash.ZERO + ", replay gives "), wrong::what);
  }

  @Test
  void anEntryThatCannotBeReplayedIsWrong() {
    List<byte[]> log = new ArrayList<>(List.of(logged(null), logged(null)));
    index = 2;
    FsOp impossible = new FsOp.MakeDir(new NodeId(7, 7), Name.of("x"), 0, 0, 0);
    log.add(encoded(impossible, Hash.ZERO));
    AuditFinding.Wrong wrong = assertInstanceOf(AuditFinding.Wrong.class, audit(3, log));
    assertEquals(3, wrong.index());
    log.set(1, NOTHING);
    assertEquals(2, assertInstanceOf(AuditFinding.Wrong.class, audit(3, log)).index());
  }

  /** No further claim is audited before the finding arrives. */
  @Test
  void itIsAnsweredWhateverHappens() {
    AtomicInteger answers = new AtomicInteger();
    MemoryOpLog log = new MemoryOpLog();
    RootAuditor auditor = new RootAuditor(log, RestoredStates.NONE, _ -> answers.incrementAndGet());
    auditor.audit(5, 1); // the log is empty
    auditor.audit(5, Long.MAX_VALUE / 1_000); // no memory
    auditor.close();
    assertEquals(2, answers.get());
    auditor.audit(5, 1); // the leader stops
    assertEquals(2, answers.get());
  }

  @Test
  void withoutTheFirstEntriesNobodyCanTell() throws Exception {
    MemoryOpLog log = new MemoryOpLog();
    for (int i = 1; i <= 3; i++) {
      log.append(i, logged(null), false);
    }
    try (RootAuditor auditor = new RootAuditor(log.sync(), RestoredStates.NONE, _ -> {})) {
      assertInstanceOf(AuditFinding.Right.class, auditor.replay(3));
      assertEquals(3, log.trim(2));
      AuditFinding.Unknown unknown =
          assertInstanceOf(AuditFinding.Unknown.class, auditor.replay(3));
      assertEquals("a replay needs entry 1, and the log begins at entry 3 by now", unknown.why());
    }
  }

  private static AuditFinding audit(int asked, List<byte[]> log) {
    RootAudit audit = new RootAudit(asked, RestoredStates.NONE);
    for (byte[] entry : log) {
      AuditFinding found = audit.take(entry);
      if (found != null) {
        return found;
      }
    }
    throw new AssertionError("nothing found");
  }

  /** Logs the creation of another directory, with the right root unless a wrong one is given. */
  private byte[] logged(@Nullable Hash wrongRoot) {
    FsOp op = new FsOp.MakeDir(FsState.ROOT, Name.of("d" + (index + 1)), 0755, 0, 0);
    state = States.after(state, op, index + 1, new NodeId(1, index + 2));
    return encoded(op, wrongRoot == null ? state.root() : wrongRoot);
  }

  private byte[] encoded(FsOp op, Hash root) {
    index++;
    return Entries.of(index, op).creating(new NodeId(1, index + 1)).root(root).encoded();
  }
}

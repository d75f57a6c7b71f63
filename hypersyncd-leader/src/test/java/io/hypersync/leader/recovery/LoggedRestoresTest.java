package io.hypersync.leader.recovery;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hypersync.fixtures.Entries;
import io.hypersync.leader.MemoryOpLog;
import io.hypersync.leader.oplog.OpLogFullException;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.StateWeight;
import io.hypersync.model.trie.PageWriter;
import io.hypersync.snapshot.HeldRestore;
import io.hypersync.snapshot.Snapshot;
import java.io.IOException;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which records of restored states outlive a crash, a cut or a trim of the log. */
class LoggedRestoresTest {
  private static final int LAST = 40;

  private final MemoryOpLog log = new MemoryOpLog();

  /** Entries 20 and 30 restore entry 3, and entry 25 restores entry 5. */
  @BeforeEach
  void history() throws OpLogFullException {
    for (int i = 1; i <= LAST; i++) {
      FsOp op =
          switch (i) {
            case 20, 30 -> new FsOp.RestoreState(state(3).manifest(), List.of());
            case 25 -> new FsOp.RestoreState(state(5).manifest(), List.of());
            default -> new FsOp.MakeDir(FsState.ROOT, Name.of("d" + i), 0755, 0, 0);
          };
      log.append(i, Entries.of(i, op).encoded(), false);
    }
    var _ = log.sync();
  }

  private static Snapshot state(long index) {
    FsState state = FsState.genesis();
    byte[] manifest =
        new Manifest(new WorkspaceId(1, 2), index, index, StateWeight.of(state), state)
            .write(
                PageWriter.complete(
                    state.version(),
                    _ -> {
                      throw new AssertionError("it is in the manifest");
                    }))
            .bytes();
    return new Snapshot(index, 0, 0, 0, false, "", manifest);
  }

  private static HeldRestore exact(long entry, long index) {
    return new HeldRestore(entry, true, state(index));
  }

  private static HeldRestore least(long entry, long index) {
    return new HeldRestore(entry, false, state(index));
  }

  private String held(@Nullable List<HeldRestore> said) throws IOException {
    return held(said, LAST);
  }

  private String held(@Nullable List<HeldRestore> said, long last) throws IOException {
    return new LoggedRestores(log, last)
        .held(said, 0).stream()
            .map(each -> each.state().index() + (each.isExact() ? "@" : "@>=") + each.entry())
            .collect(Collectors.joining(" "));
  }

  @Test
  void whatTheLogHasIsHeld() throws IOException {
    assertEquals("3@20 5@25 3@30", held(List.of(exact(20, 3), exact(25, 5), exact(30, 3))));
    assertEquals("", held(List.of()));
  }

  @Test
  void aCrashBeforeTheEntryLeavesNothing() throws IOException {
    assertEquals("3@20", held(List.of(exact(20, 3), least(31, 7))));
    assertEquals("", held(List.of(least(LAST + 1, 3))));
  }

  @Test
  void aCrashBehindTheEntryLeavesItWithItsIndex() throws IOException {
    assertEquals("3@20 5@25 3@30", held(List.of(exact(20, 3), exact(25, 5), least(27, 3))));
    assertEquals("3@30", held(List.of(least(28, 9))), "whoever has asked for it");
  }

  @Test
  void whatWasCutOffIsNotHeld() throws IOException {
    assertEquals("3@20", held(List.of(exact(20, 3), exact(25, 5), exact(30, 3)), 24));
    assertEquals("", held(List.of(exact(25, 3), exact(26, 5))), "another entry has the index");
  }

  @Test
  void whatWasTrimmedIsNotHeld() throws IOException {
    var _ = log.trim(20);
    assertEquals("5@25", held(List.of(exact(20, 3), exact(25, 5))));
    assertEquals("5@25 3@30", held(List.of(least(19, 3))));
  }

  @Test
  void ifNobodyCanReadWhatWasSaidTheLogSaysIt() throws IOException {
    assertEquals("3@20 5@25 3@30", held(null));
  }
}

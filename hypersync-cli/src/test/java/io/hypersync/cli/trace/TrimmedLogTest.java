package io.hypersync.cli.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.chunkstore.disk.DiskChunkStore;
import io.hypersync.chunkstore.disk.DiskChunkStoreOptions;
import io.hypersync.leader.oplog.ChunkSync;
import io.hypersync.leader.oplog.CommittedBatch;
import io.hypersync.leader.oplog.OpLogFailedException;
import io.hypersync.leader.oplog.OpLogListener;
import io.hypersync.leader.oplog.OpLogOptions;
import io.hypersync.leader.oplog.RecoveryListener.Verdict;
import io.hypersync.leader.oplog.chronicle.ChronicleOpLog;
import io.hypersync.runtime.admin.UserError;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A log without its first entries cannot be replayed from the empty filesystem. */
class TrimmedLogTest {
  private static final int ENTRIES = 3;

  @TempDir Path state;

  @Test
  void noTraceAndNoSurveyIsMadeOfIt() throws IOException {
    var _ = SmallLog.write(state);
    Path oplog = state.resolve("oplog");
    try (ChronicleOpLog log =
        ChronicleOpLog.open(
            oplog,
            OpLogOptions.DEFAULT.withSegmentBytes(256 << 10),
            ChunkSync.NONE,
            (_, _) -> Verdict.KEEP,
            new Deaf())) {
      assertEquals(ENTRIES + 1, log.trim(ENTRIES));
    }
    OutputStream out = new ByteArrayOutputStream();
    UserError refused = assertThrows(UserError.class, () -> StateTrace.write(state, out, _ -> {}));
    assertTrue(refused.message().contains(" begins at entry 4: older ones"), refused::message);
    try (ChunkStore chunks =
        DiskChunkStore.open(state.resolve("chunks"), DiskChunkStoreOptions.DEFAULT)) {
      assertThrows(UserError.class, () -> LogSurvey.of(oplog, chunks, ENTRIES, _ -> {}));
      assertThrows(UserError.class, () -> LogSurvey.trace(oplog, chunks, out));
    }
  }

  private static final class Deaf implements OpLogListener {
    @Override
    public void onDurable(CommittedBatch batch) {
      throw new AssertionError("nothing is written");
    }

    @Override
    public void onFailure(OpLogFailedException failure) {
      throw failure;
    }
  }
}

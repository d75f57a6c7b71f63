package io.hypersync.leader.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hypersync.fixtures.Entries;
import io.hypersync.leader.MemoryOpLog;
import io.hypersync.leader.oplog.OpLogFullException;
import io.hypersync.leader.retention.LogRetention;
import io.hypersync.leader.retention.LogRetention.Needs;
import io.hypersync.model.id.Name;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.state.FsState;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the status says of entries that went because the log was too large (hypersync.md 14.1). */
class LogTrimmerTest {
  private static final int ENTRIES = 45;
  private static final int OF_SEGMENT = 10;
  private static final Needs NOTHING = new Needs(ENTRIES, ENTRIES);

  private final MemoryOpLog log = new MemoryOpLog();

  @BeforeEach
  void entries() throws OpLogFullException {
    for (int i = 1; i <= ENTRIES; i++) {
      FsOp op = new FsOp.MakeDir(FsState.ROOT, Name.of("d" + i), 0755, 0, 0);
      log.append(i, Entries.of(i, op).at(i).encoded(), false);
    }
    log.sync().segments(OF_SEGMENT, 1_000);
  }

  @Test
  void whatGoesInItsTimeIsNotCounted() {
    assertEquals(0, goneForSize(new LogRetention(0, 20, 5_000), NOTHING));
    assertEquals(21, log.firstIndex());
  }

  @Test
  void whatGoesBeforeItsTimeIs() {
    assertEquals(20, goneForSize(new LogRetention(0, 1_000, 3_000), NOTHING));
    assertEquals(21, log.firstIndex());
  }

  /** Ten go in their time; of the rest, the worker would have been waited for. */
  @Test
  void ofBothTheRestIs() {
    assertEquals(10, goneForSize(new LogRetention(0, 20, 3_000), new Needs(ENTRIES, 15)));
    assertEquals(21, log.firstIndex());
  }

  @Test
  void whatAStartNeedsStaysHoweverLargeTheLogIs() {
    assertEquals(0, goneForSize(new LogRetention(0, 1_000, 0), new Needs(5, ENTRIES)));
    assertEquals(1, log.firstIndex());
  }

  private long goneForSize(LogRetention retention, Needs needs) {
    LogTrimmer trimmer = new LogTrimmer(log, retention, () -> {});
    trimmer.enable();
    trimmer.trim(ENTRIES, ENTRIES, needs);
    trimmer.close(); // when it is done
    return trimmer.goneForSize();
  }
}

package io.hypersync.leader.daemon;

import io.hypersync.leader.syncstandby.SyncRecord;
import io.hypersync.leader.syncstandby.SyncRecordStore;
import io.hypersync.runtime.admin.UserError;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file {@code synchronous} in the leader's state directory; not there before a standby was
 * waited for.
 */
public final class SyncRecordFile implements SyncRecordStore {
  private static final Logger LOG = LoggerFactory.getLogger(SyncRecordFile.class);
  private static final String NAME = "synchronous";
  private static final int MAX_BYTES = 16 << 10;

  private final Path file;

  /** That of a state directory. */
  public SyncRecordFile(Path stateDir) {
    this.file = stateDir.resolve(NAME);
  }

  /**
   * Reads it.
   *
   * @throws UserError if it cannot be read: a standby could be promoted that lacks what this leader
   *     would show
   */
  public SyncRecord read() {
    return StateText.read(file, MAX_BYTES, SyncRecord::parse, SyncRecord.NONE);
  }

  @Override
  public boolean store(SyncRecord record) {
    try {
      StateText.replace(file, record.toText());
      return true;
    } catch (UserError e) {
      LOG.error("{}", e.getMessage());
      return false;
    }
  }
}

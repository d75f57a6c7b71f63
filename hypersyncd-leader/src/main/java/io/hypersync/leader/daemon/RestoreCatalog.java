package io.hypersync.leader.daemon;

import io.hypersync.leader.oplog.OpLog;
import io.hypersync.leader.port.RestoreHoldPort;
import io.hypersync.leader.recovery.LoggedRestores;
import io.hypersync.leader.restore.StateRestores;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.snapshot.HeldRestore;
import io.hypersync.snapshot.RestoresFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The states that entries of the log restore, in the file {@code restores}.
 *
 * @param held what the leader begins with
 * @param stored what the file says, which need not be the same
 */
public record RestoreCatalog(RestoresFile file, List<HeldRestore> held, List<HeldRestore> stored) {
  private static final Logger LOG = LoggerFactory.getLogger(RestoreCatalog.class);

  /**
   * Reads what is said, and compares it with the log.
   *
   * @param last the last entry of the log
   * @throws IOException if the file or the log cannot be read
   */
  public static RestoreCatalog read(Path stateDir, OpLog log, long last) throws IOException {
    RestoresFile file = new RestoresFile(stateDir);
    @Nullable List<HeldRestore> said = file.read();
    if (said == null) {
      LOG.warn("{} is damaged: all of the log is read for it", file);
    }
    List<HeldRestore> held = new LoggedRestores(log, last).held(said, Clock.SYSTEM.epochNs());
    if (said != null) {
      return new RestoreCatalog(file, held, said);
    }
    file.write(held);
    return new RestoreCatalog(file, held, held);
  }

  /** What the agent begins with. */
  StateRestores.Start start(RestoreHoldPort port) {
    return new StateRestores.Start(port, held, stored);
  }
}

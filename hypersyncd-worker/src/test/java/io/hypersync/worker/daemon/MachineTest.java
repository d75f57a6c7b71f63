package io.hypersync.worker.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.lock.LockSpace;
import io.hypersync.model.state.FsState;
import io.hypersync.wire.message.LeaderMessage.ExpiringLock;
import io.hypersync.wire.message.LeaderMessage.LockExpiryWarning;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The log line about locks that are about to expire (hypersync.md 10.2(5)). */
class MachineTest {
  private static final ClientId RUN = new ClientId(1, 1);

  @Test
  void locksAreNamedByTheirFiles() {
    NodeId gone = new NodeId(5, 5);
    LockExpiryWarning warning =
        new LockExpiryWarning(
            RUN,
            2,
            1_500,
            List.of(
                new ExpiringLock(FsState.ROOT, LockSpace.FLOCK, 1),
                new ExpiringLock(gone, LockSpace.POSIX, 2)));
    assertEquals(
        "the leader frees 2 locks in 1500 ms unless they are renewed, which is tried now: flock of"
            + " /, fcntl lock of node "
            + gone,
        Machine.describe(warning, FsState.genesis()));
  }

  @Test
  void notAllAreNamed() {
    LockExpiryWarning warning =
        new LockExpiryWarning(
            RUN,
            70,
            1,
            Collections.nCopies(64, new ExpiringLock(FsState.ROOT, LockSpace.FLOCK, 1)));
    assertEquals(
        "the leader frees 70 locks in 1 ms unless they are renewed, which is tried now: flock of /,"
            + " flock of /, flock of /, flock of /, flock of / and 65 more",
        Machine.describe(warning, FsState.genesis()));
  }
}

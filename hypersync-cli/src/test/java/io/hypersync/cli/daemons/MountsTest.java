package io.hypersync.cli.daemons;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which lines of mountinfo are HyperSync's. */
final class MountsTest {
  @Test
  void onlyHyperSyncMountsAreFoundWithTheirEscapesUndone() {
    assertEquals(
        List.of(Path.of("/ntmfs/ws/team"), Path.of("/mnt/my team/\u00e4")),
        Mounts.parse(
            List.of(
                "22 1 8:1 / / rw shared:1 - ext4 /dev/root rw",
                "40 22 0:50 / /ntmfs/ws/team rw,nosuid - fuse.hypersync hypersync rw",
                "41 22 0:51 / /mnt/sshfs rw shared:2 - fuse.sshfs host: rw",
                "42 22 0:52 / /mnt/my\\040team/\u00c3\u00a4 rw shared:3 master:1 -"
                    + " fuse.hypersync hypersync rw",
                "43 22 0:53 / /mnt/fuse.hypersync rw - ext4 /dev/x rw",
                "nonsense")));
  }
}

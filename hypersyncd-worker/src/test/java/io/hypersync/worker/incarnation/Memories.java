package io.hypersync.worker.incarnation;

import io.hypersync.model.id.ClientId;
import io.hypersync.worker.fuse.dev.DescriptorSocket;
import io.hypersync.worker.fuse.dev.MemoryFile;
import java.io.IOException;
import java.util.List;

/** Memories of mounts, as a worker makes them: of real memory files, which take what is used. */
public final class Memories {
  private Memories() {}

  /** The memory of a mount that was just made, of lock run 1, 2. */
  public static MountMemory ofANewMount() throws IOException {
    int descriptor = MemoryFile.create("test", MountMemory.BYTES);
    try {
      return MountMemory.begin(
          MemoryFile.map(descriptor, MountMemory.BYTES), new ClientId(7, 8), new ClientId(1, 2));
    } finally {
      DescriptorSocket.closeAll(List.of(descriptor)); // the mapping stays
    }
  }
}

package io.hypersync.worker.memory;

import io.hypersync.model.id.InodeNo;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.state.FileContent;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import io.hypersync.worker.coherence.View;
import io.hypersync.worker.vfs.KernelInodes;
import io.hypersync.worker.vfs.OwnReads;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Which names are those of a database's shared memory: {@code X-shm}, where the visible state has
 * no such name, but a file X. Throws {@link io.hypersync.model.trie.PageUnreadableException} if a
 * part of the state is not here.
 */
final class WalDatabases {
  private static final byte[] MEMORY = ascii("-shm");
  private static final byte[] LOG = ascii("-wal");
  private static final byte[] MAGIC = ascii("SQLite format 3\0");

  /** Two bytes of the header say by which version a database is written and read; 2 is WAL. */
  private static final int VERSIONS = 18;

  private static final byte WAL = 2;

  private final Supplier<View> view;
  private final KernelInodes inodes;
  private final OwnReads reads;

  WalDatabases(Supplier<View> view, KernelInodes inodes, OwnReads reads) {
    this.view = view;
    this.inodes = inodes;
    this.reads = reads;
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /**
   * A file that may be a database.
   *
   * @param log the node of its log; null if there is none
   */
  record Found(Node file, Name name, @Nullable NodeId log) {}

  /** Whether a name can be that of a memory; costs next to nothing. */
  static boolean isMemoryName(byte[] name) {
    int stem = name.length - MEMORY.length;
    return stem > 0
        && name.length <= Name.MAX_BYTES
        && Arrays.equals(name, stem, name.length, MEMORY, 0, MEMORY.length);
  }

  /** The file that a memory of this name belongs to; null if it can be none. */
  @Nullable Found of(InodeNo parent, byte[] memoryName) {
    NodeId id = inodes.node(parent);
    FsState state = view.get().state();
    Node directory = id == null ? null : state.node(id);
    if (directory == null
        || !Name.isWellFormed(memoryName)
        || state.lookup(directory, Name.of(memoryName)) != null) {
      return null; // what is replicated goes first
    }
    byte[] stem = Arrays.copyOf(memoryName, memoryName.length - MEMORY.length);
    if (!Name.isWellFormed(stem)) {
      return null;
    }
    Node file = state.lookup(directory, Name.of(stem));
    if (file == null || !(file.content() instanceof FileContent)) {
      return null;
    }
    byte[] logName = Arrays.copyOf(stem, memoryName.length);
    System.arraycopy(LOG, 0, logName, stem.length, LOG.length);
    Node log = state.lookup(directory, Name.of(logName));
    return new Found(file, Name.of(stem), log == null ? null : log.id());
  }

  /** Whether the header says that it is a database of SQLite's in WAL mode. */
  boolean isInWalMode(Node file) {
    if (!(file.content() instanceof FileContent content)) {
      return false;
    }
    try {
      byte[] header = reads.beginning(content, file, VERSIONS + 2);
      return header.length == VERSIONS + 2
          && Arrays.equals(header, 0, MAGIC.length, MAGIC, 0, MAGIC.length)
          && header[VERSIONS] == WAL
          && header[VERSIONS + 1] == WAL;
    } catch (OwnReads.Missing e) {
      return false; // SQLite has read it just before, so it is here
    }
  }
}

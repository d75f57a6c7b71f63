package io.hypersync.leader.standby;

import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.leader.daemon.RevokedFile;
import io.hypersync.leader.oplog.OpLog;
import io.hypersync.leader.oplog.OpLogListener;
import io.hypersync.leader.oplog.OpLogOptions;
import io.hypersync.leader.oplog.RecoveryListener;
import io.hypersync.leader.oplog.chronicle.ChronicleOpLog;
import io.hypersync.leader.oplog.chronicle.LogBeginning;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.trie.RootVersion;
import io.hypersync.runtime.file.DurableFiles;
import io.hypersync.snapshot.CollectedFile;
import io.hypersync.wire.message.Revocation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * The state directory of a standby.
 *
 * @param path whose lock somebody holds
 */
record StandbyDirectory(Path path, ChunkStore chunks, CollectedFile collected)
    implements StandbyDisk {
  static final String OPLOG = "oplog";
  private static final String ASIDE = "oplog.aside";
  private static final long PAUSE_NS = 100_000;

  @Override
  public OpLog open(RecoveryListener kept, OpLogListener listener) throws IOException {
    return ChronicleOpLog.open(
        path.resolve(OPLOG), OpLogOptions.DEFAULT, chunks::sync, kept, listener);
  }

  @Override
  public void putAside() throws IOException {
    Path aside = path.resolve(ASIDE);
    if (Files.exists(aside)) {
      DurableFiles.deleteTree(aside);
    }
    Files.move(path.resolve(OPLOG), aside);
    DurableFiles.syncDirectory(path);
  }

  @Override
  public void begin(long firstIndex) throws IOException {
    Path oplog = path.resolve(OPLOG);
    if (Files.exists(oplog)) {
      DurableFiles.deleteTree(oplog);
      DurableFiles.syncDirectory(path);
    }
    LogBeginning.write(oplog, RootVersion.LATEST, firstIndex);
  }

  @Override
  public boolean hasChunk(Hash chunk) {
    return chunks.contains(chunk);
  }

  @Override
  public void syncChunks() throws IOException {
    try {
      chunks.sync();
    } catch (ChunkStoreException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  @Override
  public long collectedThrough() {
    return collected.through();
  }

  @Override
  public void raiseCollected(long index) throws IOException {
    collected.raise(index);
  }

  @Override
  public void mark(StandbyFile mark) {
    mark.write(path);
  }

  @Override
  public void keepRevoked(List<Revocation> all) {
    RevokedFile.add(path, all);
  }

  @Override
  public void pause() {
    LockSupport.parkNanos(PAUSE_NS); // nobody waits for this thread: nothing is mounted
  }

  @Override
  public String name() {
    return path.toString();
  }
}

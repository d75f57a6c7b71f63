package io.hypersync.worker;

import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.chunkstore.disk.DiskChunkStore;
import io.hypersync.chunkstore.disk.DiskChunkStoreOptions;
import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.file.FileProblems;
import io.hypersync.wire.message.ChunkSymbol;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.StreamKind;
import io.hypersync.wire.quic.QuicOptions;
import io.hypersync.wire.quic.QuicWorkerClient;
import io.hypersync.wire.transport.ConnectFailure;
import io.hypersync.wire.transport.WorkerTransportListener;
import io.hypersync.worker.fuse.abi.InitFlag;
import io.hypersync.worker.fuse.dev.MemoryFile;
import io.hypersync.worker.incarnation.MountMemory;
import io.hypersync.worker.takeover.KeeperClient;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Whether a worker can go on with a mount that another process still serves, as far as that can be
 * told beside it: it cannot open what that one has open. Along the way it loads what a start loads,
 * so that the pause is shorter.
 */
public final class SelfTest {
  private static final DiskChunkStoreOptions SMALL =
      new DiskChunkStoreOptions(1 << 20, 1 << 20, 1 << 20, 0);

  private SelfTest() {}

  /**
   * Runs all checks.
   *
   * @throws UserError if one fails
   */
  public static void run(WorkerDaemonOptions options, KeeperClient.Waiting waiting) {
    memory(waiting);
    if (!Files.isDirectory(options.stateDir().resolve("chunks"))) {
      throw new UserError(
          "the state directory " + options.stateDir() + " has no chunks any more",
          "Put it back, or unmount and start the worker anew.");
    }
    chunkStore();
    QuicWorkerClient client =
        QuicWorkerClient.create(
            options.identity(), options.workspace(), new Nobody(), QuicOptions.defaults());
    client.shutdown();
  }

  private static void memory(KeeperClient.Waiting waiting) {
    try {
      MountMemory memory = MountMemory.of(MemoryFile.map(waiting.memory(), MountMemory.BYTES));
      if (!memory.obstacle().isEmpty()) {
        throw new UserError(memory.obstacle(), "");
      }
    } catch (IOException | IllegalArgumentException e) {
      throw new UserError(String.valueOf(e.getMessage()), "");
    }
    long agreed = waiting.mount().flags();
    if (InitFlag.maskOf(InitFlag.setOf(agreed)) != agreed) {
      throw new UserError("this version does not know all that was agreed on with the kernel", "");
    }
  }

  /** A store of its own, with one chunk that is read again. */
  private static void chunkStore() {
    byte[] bytes = "self-test".getBytes(StandardCharsets.US_ASCII);
    Hash hash = Blake3.hash(bytes);
    Path folder = null;
    try {
      folder = Files.createTempDirectory("hypersync-self-test-");
      try (DiskChunkStore store = DiskChunkStore.open(folder.resolve("chunks"), SMALL)) {
        store.put(hash, bytes);
        if (!Arrays.equals(bytes, store.getVerified(hash))) {
          throw new UserError("a chunk is not what was written", "Look at " + folder);
        }
      }
    } catch (IOException | ChunkStoreException e) {
      throw new UserError("no chunk can be stored: " + e.getMessage(), "");
    } finally {
      if (folder != null) {
        remove(folder);
      }
    }
  }

  private static void remove(Path folder) {
    try (Stream<Path> below = Files.walk(folder)) {
      List<Path> all = below.sorted(Comparator.reverseOrder()).toList();
      for (Path each : all) {
        Files.delete(each);
      }
    } catch (IOException e) {
      throw new UserError(
          "cannot remove " + folder + ": " + FileProblems.describe(e), FileProblems.hint(e, ""));
    }
  }

  /** Hears nothing: it does not connect. */
  private static final class Nobody implements WorkerTransportListener {
    @Override
    public void connected(InetSocketAddress leader) {}

    @Override
    public void connectFailed(ConnectFailure failure, String message) {}

    @Override
    public void received(LeaderMessage message) {}

    @Override
    public void received(ChunkSymbol symbol) {}

    @Override
    public void flushPoint() {}

    @Override
    public void writable(StreamKind kind) {}

    @Override
    public void closed(String reason) {}
  }
}

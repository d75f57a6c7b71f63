package io.hypersync.sim.node;

import io.hypersync.chunkstore.Chunk;
import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.leader.port.ChunkPort;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.sim.check.Violation;
import io.hypersync.sim.disk.SimChunkStore;
import io.hypersync.sim.world.Host;
import io.hypersync.sim.world.Prng;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.WorkerMessage.ChunkPut;
import io.hypersync.wire.transport.SessionId;
import java.util.List;

/** The leader's chunk port: hashing and disk work complete after random delays, in any order. */
final class SimLeaderChunks implements ChunkPort {
  private static final long FASTEST_NS = 20_000;
  private static final long SLOWEST_NS = 5_000_000;

  /** One in this many reads meets a busy disk. */
  private static final int SLOW_READS = 6;

  private static final long SLOWEST_READ_NS = 400_000_000;

  private final SimChunkStore store;
  private final Host host;
  private final Prng prng;
  private final SimLeader leader;

  SimLeaderChunks(SimChunkStore store, Host host, Prng prng, SimLeader leader) {
    this.store = store;
    this.host = host;
    this.prng = prng;
    this.leader = leader;
  }

  @Override
  public int length(Hash hash) {
    return store.length(hash);
  }

  @Override
  public void verify(Hash hash) {
    host.after(prng.scale(FASTEST_NS, SLOWEST_NS), "", () -> readAndTell(hash));
  }

  private void readAndTell(Hash hash) {
    byte[] bytes;
    try {
      bytes = store.getVerified(hash);
    } catch (ChunkStoreException e) {
      bytes = null;
    }
    int length = bytes == null ? ChunkStore.NOT_HERE : bytes.length;
    host.execute(
        () -> {
          if (length == ChunkStore.NOT_HERE) {
            leader.agent().chunkUnreadable(hash);
          } else {
            leader.agent().chunkStored(hash, length);
          }
        });
  }

  @Override
  public void ingest(SessionId session, ChunkPut chunk) {
    host.after(
        prng.scale(FASTEST_NS, SLOWEST_NS),
        "",
        () -> {
          Errno failed = store(chunk);
          host.execute(
              () -> {
                if (failed == null) {
                  leader.agent().chunkStored(chunk.hash(), chunk.bytes().length);
                } else {
                  leader.agent().chunkRefused(session, chunk.intent(), failed);
                }
              });
        });
  }

  @Override
  public void storeInline(List<ChunkRef> chunks, byte[] payload) {
    // Until that time the bytes are only in the memory of the process, and lost when it crashes.
    host.after(prng.scale(FASTEST_NS, SLOWEST_NS), "", () -> writeInline(chunks, payload));
  }

  private void writeInline(List<ChunkRef> chunks, byte[] payload) {
    try {
      store.putAll(Chunk.split(chunks, payload, _ -> true));
    } catch (ChunkStoreException e) {
      host.note("small chunks stay in the log only: " + e.getMessage());
    }
  }

  @Override
  public void serve(SessionId session, List<ChunkRef> chunks) {
    for (ChunkRef chunk : chunks) {
      long slowestNs = prng.oneIn(SLOW_READS) ? SLOWEST_READ_NS : SLOWEST_NS;
      host.after(
          prng.scale(FASTEST_NS, slowestNs),
          "",
          () -> leader.sendBulk(session, read(chunk.hash())));
    }
  }

  private LeaderMessage read(Hash hash) {
    try {
      byte[] bytes = store.getVerified(hash);
      if (bytes == null && store.wasRefused(hash)) {
        // Only the log has it: a worker asks when its own copy has rotted.
        return new LeaderMessage.ChunkUnavailable(hash, Errno.ENOENT, "not in the store");
      }
      if (bytes == null) {
        throw new Violation("the leader has lost chunk " + hash);
      }
      return new LeaderMessage.ChunkData(hash, bytes);
    } catch (ChunkStoreException e) {
      return new LeaderMessage.ChunkUnavailable(hash, e.errno(), String.valueOf(e.getMessage()));
    }
  }

  private @org.jspecify.annotations.Nullable Errno store(ChunkPut chunk) {
    if (!Blake3.hash(chunk.bytes()).equals(chunk.hash())) {
      throw new Violation("a chunk put with the wrong hash");
    }
    try {
      store.put(chunk.hash(), chunk.bytes());
      return null;
    } catch (ChunkStoreException e) {
      return e.errno();
    }
  }
}

package io.hypersync.sim.node;

import io.hypersync.chunkstore.Chunk;
import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.leader.dataplane.BlockEncoder;
import io.hypersync.leader.dataplane.DataPlaneSettings;
import io.hypersync.leader.port.ChunkPort;
import io.hypersync.leader.port.MulticastPort;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.sim.check.Violation;
import io.hypersync.sim.disk.SimChunkStore;
import io.hypersync.sim.net.SimGroup;
import io.hypersync.sim.world.Host;
import io.hypersync.sim.world.Prng;
import io.hypersync.wire.message.ChunkSymbol;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.WorkerMessage.ChunkCopy;
import io.hypersync.wire.message.WorkerMessage.ChunkPut;
import io.hypersync.wire.transport.SessionId;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The leader's chunk port: hashing and disk work complete after random delays, in any order. */
final class SimLeaderChunks implements ChunkPort {
  private static final long FASTEST_NS = 20_000;
  private static final long SLOWEST_NS = 5_000_000;

  /** One in this many reads meets a busy disk. */
  private static final int SLOW_READS = 6;

  private static final long SLOWEST_READ_NS = 400_000_000;

  private static final long KEPT_BYTES = 1 << 16;

  private final BlockEncoder encoder = new BlockEncoder(KEPT_BYTES);
  private final SimMulticastSender multicast;
  private final SimChunkStore store;
  private final Host host;
  private final Prng prng;
  private final SimLeader leader;

  SimLeaderChunks(
      SimChunkStore store,
      Host host,
      Prng prng,
      SimLeader leader,
      SimGroup group,
      DataPlaneSettings settings) {
    this.multicast =
        new SimMulticastSender(
            group, encoder, this::read, host, settings, () -> leader.agent().fanout().multicast());
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
    storeLater(
        chunk.hash(),
        chunk.bytes(),
        failed -> leader.agent().chunkRefused(session, chunk.intent(), failed));
  }

  @Override
  public void ingest(SessionId session, ChunkCopy copy) {
    storeLater(copy.hash(), copy.bytes(), failed -> leader.agent().copyRefused(copy, failed));
  }

  private void storeLater(Hash hash, byte[] bytes, Consumer<Errno> refused) {
    host.after(
        prng.scale(FASTEST_NS, SLOWEST_NS),
        "",
        () -> {
          Errno failed = store(hash, bytes);
          host.execute(
              () -> {
                if (failed == null) {
                  leader.agent().chunkStored(hash, bytes.length);
                } else {
                  refused.accept(failed);
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
      host.after(prng.scale(FASTEST_NS, slowestNs), "", () -> serve(session, chunk));
    }
  }

  @Override
  public void sendSymbols(
      SessionId session,
      long push,
      ChunkRef chunk,
      int symbolBytes,
      int repair,
      Runnable handedOver) {
    leader.pushing(session);
    host.after(
        prng.scale(FASTEST_NS, SLOWEST_NS),
        "",
        () -> {
          List<byte[]> symbols = encoder.symbols(chunk.hash(), symbolBytes, repair, this::read);
          for (int id = 0; id < symbols.size(); id++) {
            leader.sendSymbol(
                session,
                new ChunkSymbol(
                    push, chunk.hash(), chunk.length(), symbolBytes, id, symbols.get(id)));
          }
          host.execute(handedOver);
        });
  }

  @Override
  public MulticastPort multicast() {
    return multicast;
  }

  private byte @Nullable [] read(Hash hash) {
    try {
      return store.getVerified(hash);
    } catch (ChunkStoreException e) {
      return null;
    }
  }

  private void serve(SessionId session, ChunkRef chunk) {
    try {
      byte[] bytes = store.getVerified(chunk.hash());
      if (bytes != null) {
        leader.sendBulk(session, new LeaderMessage.ChunkData(chunk.hash(), bytes));
      } else if (store.wasRefused(chunk.hash()) || !leader.needs(session, chunk.hash())) {
        // Only the log has it, or only an older state: a worker asks when its own copy has rotted.
        missing(session, chunk, Errno.ENOENT, "not in the store");
      } else {
        throw new Violation("the leader has lost chunk " + chunk.hash());
      }
    } catch (ChunkStoreException e) {
      missing(session, chunk, e.errno(), String.valueOf(e.getMessage()));
    }
  }

  private void missing(SessionId session, ChunkRef chunk, Errno errno, String why) {
    host.execute(() -> leader.agent().chunkMissing(session, chunk, errno, why));
  }

  private @Nullable Errno store(Hash hash, byte[] bytes) {
    if (!Blake3.hash(bytes).equals(hash)) {
      throw new Violation("a worker has sent a chunk with the wrong hash");
    }
    try {
      store.put(hash, bytes);
      return null;
    } catch (ChunkStoreException e) {
      return e.errno();
    }
  }
}

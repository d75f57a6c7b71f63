package io.hypersync.cli.practice;

import io.hypersync.chunkstore.Chunk;
import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.chunkstore.InMemoryChunkStore;
import io.hypersync.leader.LeaderAgent;
import io.hypersync.leader.LeaderConfig;
import io.hypersync.leader.collection.CollectionManager;
import io.hypersync.leader.past.PastHolds;
import io.hypersync.leader.port.ChunkPort;
import io.hypersync.leader.port.LogTrimPort;
import io.hypersync.leader.port.SessionPort;
import io.hypersync.leader.presence.ResumeKey;
import io.hypersync.leader.recovery.LeaderState;
import io.hypersync.leader.restore.StateRestores;
import io.hypersync.leader.sequencer.IntentIndex;
import io.hypersync.leader.sequencer.IntentRetention;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.state.FsState;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.runtime.agent.Entropy;
import io.hypersync.snapshot.schedule.SnapshotManager;
import io.hypersync.wire.message.LeaderMessage.ChunkData;
import io.hypersync.wire.message.WorkerMessage.ChunkCopy;
import io.hypersync.wire.message.WorkerMessage.ChunkPut;
import io.hypersync.wire.transport.SessionId;
import java.util.List;

/** The leader's agent, of an empty workspace, with a log and a chunk store in memory. */
final class LeaderSide {
  private final PracticeLog log = new PracticeLog();
  private final Turns turns;
  private final LeaderAgent agent;

  LeaderSide(WorkspaceId workspace, SessionPort port, Turns turns, Clock clock, Entropy entropy) {
    this.turns = turns;
    this.agent =
        new LeaderAgent(
            LeaderConfig.of(workspace),
            new LeaderState(
                FsState.genesis(),
                FsState.genesis().root(),
                0,
                0,
                IntentIndex.inMemory(IntentRetention.DEFAULT)),
            log,
            new Chunks(port),
            (_, from, _) -> {
              throw new IllegalStateException(
                  "entry " + from + " should be in the leader's memory");
            },
            (index, _) -> {
              throw new IllegalStateException("the root of entry " + index + " is in doubt");
            },
            SnapshotManager.none(workspace),
            CollectionManager.none(),
            PastHolds.Start.NONE,
            StateRestores.Start.NONE,
            batch -> turns.later(() -> agent().intentsWritten(batch)),
            LogTrimPort.NONE,
            port,
            clock,
            entropy,
            (_, _) -> {},
            ResumeKey.generate());
  }

  LeaderAgent agent() {
    return agent;
  }

  /** One turn; returns how much was done. */
  int work() {
    return agent.doWork() + (log.sync() ? 1 : 0);
  }

  private final class Chunks implements ChunkPort {
    private final ChunkStore store = new InMemoryChunkStore();
    private final SessionPort port;

    Chunks(SessionPort port) {
      this.port = port;
    }

    @Override
    public int length(Hash hash) {
      return store.length(hash);
    }

    @Override
    public void verify(Hash hash) {
      turns.later(() -> agent().chunkStored(hash, verified(hash).length));
    }

    @Override
    public void ingest(SessionId session, ChunkPut chunk) {
      ingest(chunk.hash(), chunk.bytes());
    }

    @Override
    public void ingest(SessionId session, ChunkCopy chunk) {
      ingest(chunk.hash(), chunk.bytes());
    }

    private void ingest(Hash hash, byte[] bytes) {
      Chunk chunk = Chunk.verified(hash, bytes);
      store.put(chunk.hash(), chunk.bytes());
      turns.later(() -> agent().chunkStored(hash, bytes.length));
    }

    @Override
    public void storeInline(List<ChunkRef> chunks, byte[] payload) {
      store.putAll(Chunk.split(chunks, payload, _ -> true));
    }

    @Override
    public void serve(SessionId session, List<ChunkRef> chunks) {
      for (ChunkRef chunk : chunks) {
        port.send(session, new ChunkData(chunk.hash(), verified(chunk.hash())));
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
      turns.later(handedOver); // there are no datagrams here
    }

    private byte[] verified(Hash hash) {
      byte[] bytes = store.getVerified(hash);
      if (bytes == null) {
        throw new IllegalStateException("the leader has lost chunk " + hash);
      }
      return bytes;
    }
  }
}

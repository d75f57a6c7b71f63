package io.hypersync.leader.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.chunkstore.Chunk;
import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.chunkstore.CollectionOptions;
import io.hypersync.chunkstore.InMemoryChunkStore;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.runtime.fault.FaultPoints;
import io.hypersync.wire.message.StreamKind;
import io.hypersync.wire.message.WorkerMessage.ChunkPut;
import io.hypersync.wire.transport.SessionId;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bounds on uploads, and results that are always reported. */
class LeaderChunksTest {
  private static final SessionId SESSION = new SessionId(1);
  private static final Hash HASH = Chunk.of(new byte[] {7}).hash();

  /** Twice the leader's limit for one session. */
  private static final long TOO_MANY_BYTES = 32L << 20;

  /** Heap of a put besides its bytes. */
  private static final int PUT_BYTES = 200;

  private final RecordedReading transport = new RecordedReading();

  @ParameterizedTest(name = "chunks of {0} bytes")
  @ValueSource(ints = {0, 1, 1_000, 65_536})
  void aSessionWhoseUploadsPileUpIsNotReadFrom(int chunkBytes) {
    Chunk chunk = Chunk.of(new byte[chunkBytes]);
    ChunkPut put = new ChunkPut(new IntentId(new ClientId(1, 1), 1), chunk.hash(), chunk.bytes());
    // Calls of the agent are dropped, as if it were busy.
    try (LeaderChunks chunks =
        new LeaderChunks(
            new InMemoryChunkStore(), transport, 1, _ -> {}, FaultPoints.configured())) {
      for (long bytes = 0; bytes < TOO_MANY_BYTES; bytes += chunkBytes + PUT_BYTES) {
        chunks.ingest(SESSION, put);
      }
    }
    assertEquals(List.of(false), transport.reading);
  }

  /** An intent waits for the result (hypersync.md 9.3). */
  @Test
  void whatIsToBeVerifiedIsToldOfWhateverHappens() {
    ChunkStore breaking = breakingIn("getVerified");
    AtomicInteger told = new AtomicInteger();
    LeaderChunks chunks =
        new LeaderChunks(
            breaking, transport, 1, _ -> told.incrementAndGet(), FaultPoints.configured());
    chunks.verify(Chunk.of(new byte[1]).hash());
    chunks.verify(Chunk.of(new byte[2]).hash());
    chunks.close();
    assertEquals(2, told.get());
    chunks.verify(Chunk.of(new byte[3]).hash()); // the leader stops
    assertEquals(2, told.get());
  }

  @Test
  void anErrorWhileChunksAreStoredIsToldToThoseWhoSentThem() {
    ChunkStore breaking = breakingIn("putAll");
    AtomicInteger told = new AtomicInteger();
    Chunk chunk = Chunk.of(new byte[1]);
    try (LeaderChunks chunks =
        new LeaderChunks(
            breaking, transport, 1, _ -> told.incrementAndGet(), FaultPoints.configured())) {
      chunks.ingest(
          SESSION, new ChunkPut(new IntentId(new ClientId(1, 1), 1), chunk.hash(), chunk.bytes()));
    }
    assertEquals(1, told.get());
  }

  /**
   * What was stored before a collection begins is not protected by it, so the agent must have heard
   * of it before it takes the roots.
   */
  @Test
  void whatWasStoredBeforeACollectionIsToldBeforeItsBeginning() {
    List<String> told = Collections.synchronizedList(new ArrayList<>());
    try (LeaderChunks chunks =
        new LeaderChunks(
            new InMemoryChunkStore(),
            transport,
            1,
            _ -> told.add("stored"),
            FaultPoints.configured())) {
      for (int i = 0; i < 10; i++) { // less than a batch
        Chunk chunk = Chunk.of(new byte[] {(byte) i, 1});
        chunks.ingest(
            SESSION,
            new ChunkPut(new IntentId(new ClientId(1, 1), 1), chunk.hash(), chunk.bytes()));
      }
      chunks.beginCollection(
          CollectionOptions.DEFAULT, run -> told.add("begun " + run.mark(HASH)), told::add);
      chunks.beginCollection(CollectionOptions.DEFAULT, _ -> told.add("twice"), told::add);
    }
    int begun = told.indexOf("begun true");
    assertTrue(begun > 0, told::toString);
    assertEquals(Collections.nCopies(begun, "stored"), told.subList(0, begun));
    assertEquals(
        List.of("a collection of this chunk store is running already"),
        told.subList(begun + 1, told.size()));
  }

  /** The manager waits for an answer, and begins nothing else before it. */
  @Test
  void anErrorWhenACollectionIsToBeginIsAnswered() {
    List<String> told = Collections.synchronizedList(new ArrayList<>());
    try (LeaderChunks chunks =
        new LeaderChunks(
            breakingIn("beginCollection"), transport, 1, _ -> {}, FaultPoints.configured())) {
      chunks.beginCollection(CollectionOptions.DEFAULT, _ -> told.add("begun"), told::add);
    }
    assertEquals(1, told.size());
    assertTrue(told.getFirst().startsWith("internal error: "), told::toString);
  }

  /** A store that throws an {@link Error}, not an exception. */
  private static ChunkStore breakingIn(String method) {
    return (ChunkStore)
        Proxy.newProxyInstance(
            ChunkStore.class.getClassLoader(),
            new Class<?>[] {ChunkStore.class},
            (_, called, _) -> {
              if (called.getName().equals(method)) {
                throw new LinkageError("told to break");
              }
              return null;
            });
  }

  /** A transport that records only the calls of {@code setReading}. */
  private static final class RecordedReading extends IdleTransport {
    private final List<Boolean> reading = new ArrayList<>();

    @Override
    public void setReading(SessionId session, StreamKind kind, boolean now) {
      assertTrue(session.equals(SESSION) && kind == StreamKind.CHUNKS, session + ", " + kind);
      reading.add(now);
    }
  }
}

package io.hypersync.leader.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.chunkstore.Chunk;
import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.chunkstore.CollectionOptions;
import io.hypersync.chunkstore.InMemoryChunkStore;
import io.hypersync.leader.LeaderAgent;
import io.hypersync.leader.LeaderParts;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.runtime.fault.FaultPoints;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.Protocol;
import io.hypersync.wire.message.StreamKind;
import io.hypersync.wire.message.WorkerMessage.ChunkPut;
import io.hypersync.wire.transport.SessionId;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bounds on uploads, results that are always reported, and what is sent first. */
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

  /** A reader waits for what it has asked for; of what comes unasked nobody knows. */
  @Test
  void whatIsAskedForGoesBeforeWhatIsSentUnasked() throws Exception {
    InMemoryChunkStore store = new InMemoryChunkStore();
    List<ChunkRef> pushed = stored(store, 1, 40);
    ChunkRef asked = stored(store, 2, 1).getFirst();
    ChunkRef both = pushed.get(30);
    BulkStream stream = new BulkStream();
    BlockingQueue<Consumer<LeaderAgent>> calls = new LinkedBlockingQueue<>();
    LeaderAgent agent = new LeaderParts(new WorkspaceId(1, 1)).agent();
    try (LeaderChunks chunks =
        new LeaderChunks(store, stream, 1, calls::add, FaultPoints.configured())) {
      chunks.push(SESSION, pushed);
      chunks.serve(SESSION, List.of(asked, both));
      stream.isWritable = true;
      chunks.writable(SESSION);
      while (stream.sent.size() < 41) {
        Consumer<LeaderAgent> call = calls.poll(10, TimeUnit.SECONDS);
        assertNotNull(call, () -> "only " + stream.sent.size() + " chunks were sent");
        call.accept(agent);
      }
    }
    List<Hash> expected = new ArrayList<>(List.of(asked.hash(), both.hash()));
    pushed.stream()
        .filter(chunk -> !chunk.equals(both))
        .forEach(chunk -> expected.add(chunk.hash()));
    assertEquals(expected, stream.sent);
  }

  /** It cannot help what it is sent. */
  @Test
  void whatIsSentUnaskedDoesNotCountForTheLimitOfWhatAWorkerMayAskFor() {
    BulkStream stream = new BulkStream();
    List<ChunkRef> many =
        Collections.nCopies(Protocol.MAX_HASHES_PER_MESSAGE, new ChunkRef(HASH, 1));
    try (LeaderChunks chunks =
        new LeaderChunks(new InMemoryChunkStore(), stream, 1, _ -> {}, FaultPoints.configured())) {
      chunks.push(SESSION, many);
      chunks.serve(SESSION, many);
      assertEquals(List.of(), stream.closed);
      chunks.serve(SESSION, many);
      assertEquals(List.of(SESSION), stream.closed);
    }
  }

  private static List<ChunkRef> stored(InMemoryChunkStore store, int kind, int count) {
    List<ChunkRef> refs = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Chunk chunk = Chunk.of(new byte[] {(byte) kind, (byte) i});
      store.put(chunk.hash(), chunk.bytes());
      refs.add(new ChunkRef(chunk.hash(), chunk.bytes().length));
    }
    return refs;
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

  /** A transport that is full at first, and records the chunks that it is given. */
  private static final class BulkStream extends IdleTransport {
    private final List<Hash> sent = new ArrayList<>();
    private final List<SessionId> closed = new ArrayList<>();
    private boolean isWritable;

    @Override
    public boolean isWritable(SessionId session, StreamKind kind) {
      return isWritable;
    }

    @Override
    public void send(SessionId session, LeaderMessage message) {
      sent.add(((LeaderMessage.ChunkData) message).hash());
    }

    @Override
    public void close(SessionId session, LeaderMessage.@Nullable Refused refusal) {
      closed.add(session);
    }
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

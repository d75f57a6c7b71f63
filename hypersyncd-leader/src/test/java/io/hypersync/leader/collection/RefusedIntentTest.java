package io.hypersync.leader.collection;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.chunkstore.CollectionRun;
import io.hypersync.fixtures.ManualClock;
import io.hypersync.leader.LeaderAgent;
import io.hypersync.leader.LeaderParts;
import io.hypersync.leader.port.CollectionPort;
import io.hypersync.leader.port.CollectionRoots;
import io.hypersync.leader.port.NoChunks;
import io.hypersync.leader.session.Hellos;
import io.hypersync.leader.session.RecordingSessionPort;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.log.LogEntryCodec;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.OpCodec;
import io.hypersync.model.op.WriteMode;
import io.hypersync.model.state.FsState;
import io.hypersync.wire.message.LeaderMessage.CommitAck;
import io.hypersync.wire.message.WorkerMessage.ChunkPut;
import io.hypersync.wire.message.WorkerMessage.SubmitIntent;
import io.hypersync.wire.message.WorkerMessage.WorkerApplied;
import io.hypersync.wire.transport.SessionId;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Chunks are stored before their intent is decided (hypersync.md 9.3). Of one that is refused then,
 * a collection removes what nobody else has, and nothing more (14.2).
 */
class RefusedIntentTest {
  private static final WorkerId WORKER = new WorkerId("w1");
  private static final SessionId SESSION = new SessionId(1);
  private static final byte[] NOTHING = {};

  /** Too large to travel with an intent. */
  private static final byte[] SHARED = content('s');

  private static final byte[] OWN = content('o');

  private final ManualClock clock = new ManualClock();
  private final Collected at = new Collected();
  private final RecordingSessionPort port = new RecordingSessionPort();
  private final Port collection = new Port();
  private final CollectionManager collections =
      new CollectionManager(collection, CollectionPolicy.of(1_000_000, 0, 0), 0, 0, 0);
  private final LeaderAgent leader = leader();
  private long intents;

  @BeforeEach
  void aLiveFile() {
    leader.sessionOpened(SESSION, WORKER, "here");
    leader.received(SESSION, Hellos.ofNew(Collected.WORKSPACE, WORKER, new ClientId(7, 7)));
    NodeId file = created("live");
    assertNull(answer(write(file, SHARED)));
    leader.received(SESSION, new WorkerApplied(at.log.appendedIndex(), Hash.ZERO, true, 0, null));
  }

  @Test
  void whatALiveFileSharesSurvivesAndTheRestGoes() throws IOException {
    IntentId refused = write(new NodeId(1, 1), SHARED, OWN);
    assertEquals(Errno.ENOENT, answer(refused));
    assertTrue(at.has(Blake3.hash(OWN)), "it was stored before the refusal");

    collect();

    assertArrayEquals(SHARED, at.chunks.get(Blake3.hash(SHARED)));
    assertFalse(at.has(Blake3.hash(OWN)));
  }

  /** The refusal of one intent must not take away what another one was sent. */
  @Test
  void whatAnIntentThatHasNotComeSharesSurvivesToo() throws IOException {
    IntentId next = new IntentId(new ClientId(1, 42), 1_000);
    leader.received(SESSION, new ChunkPut(next, Blake3.hash(OWN), OWN));
    assertEquals(Errno.ENOENT, answer(write(new NodeId(1, 1), OWN)));

    collect();

    assertArrayEquals(OWN, at.chunks.get(Blake3.hash(OWN)));
  }

  private NodeId created(String name) {
    submit(new FsOp.CreateFile(FsState.ROOT, Name.of(name), 0644, 0, 0), List.of());
    leader.doWork();
    assertNull(answer(intent(intents)));
    try {
      return LogEntryCodec.decode(at.log.read(at.log.appendedIndex())).createdNode();
    } catch (DecodeException e) {
      throw new AssertionError(e);
    }
  }

  /** Sends the chunks, and then the intent that says so. */
  private IntentId write(NodeId file, byte[]... chunks) {
    IntentId id = intent(intents + 1);
    List<ChunkRef> refs = Arrays.stream(chunks).map(RefusedIntentTest::ref).toList();
    for (byte[] bytes : chunks) {
      leader.received(SESSION, new ChunkPut(id, Blake3.hash(bytes), bytes));
    }
    submit(
        new FsOp.Write(file, WriteMode.PWRITE, 0, refs, false),
        refs.stream().map(ChunkRef::hash).toList());
    leader.doWork();
    return id;
  }

  private void submit(FsOp op, List<Hash> uploading) {
    intents++;
    leader.received(
        SESSION, new SubmitIntent(intent(intents), "", OpCodec.encode(op), NOTHING, uploading));
  }

  private @Nullable Errno answer(IntentId id) {
    return ack(id).errno();
  }

  private CommitAck ack(IntentId id) {
    at.log.sync();
    leader.doWork();
    return port.sent.stream()
        .map(RecordingSessionPort.Sent::message)
        .filter(CommitAck.class::isInstance)
        .map(CommitAck.class::cast)
        .filter(ack -> ack.intent().equals(id))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no answer: " + port.sent));
  }

  /** A whole run, from the roots that the leader takes. */
  private void collect() throws IOException {
    collections.ask(false);
    leader.doWork();
    CollectionRun run = at.chunks.beginCollection();
    collections.begun();
    leader.doWork();
    CollectionRoots roots = collection.roots;
    if (roots == null) {
      throw new AssertionError("no roots were taken");
    }
    CollectionTask task = new CollectionTask(run, roots, at.environment());
    while (task.step()) {}
  }

  private static IntentId intent(long seqNo) {
    return new IntentId(new ClientId(1, 42), seqNo);
  }

  private static ChunkRef ref(byte[] bytes) {
    return new ChunkRef(Blake3.hash(bytes), bytes.length);
  }

  private static byte[] content(char letter) {
    byte[] bytes = new byte[60_000];
    Arrays.fill(bytes, (byte) letter);
    return bytes;
  }

  private LeaderAgent leader() {
    return new LeaderParts(Collected.WORKSPACE)
        .log(at.log)
        .chunks(new Chunks())
        .collections(collections)
        .port(port)
        .clock(clock)
        .agent();
  }

  private static final class Port implements CollectionPort {
    private @Nullable CollectionRoots roots;

    @Override
    public void begin() {}

    @Override
    public void collect(CollectionRoots taken) {
      roots = taken;
    }

    @Override
    public void abandon() {}
  }

  /** The store, which answers at once. */
  private final class Chunks extends NoChunks {
    @Override
    public int length(Hash hash) {
      return at.chunks.length(hash);
    }

    @Override
    public void verify(Hash hash) {
      leader.chunkStored(hash, at.chunks.length(hash));
    }

    @Override
    public void ingest(SessionId session, ChunkPut chunk) {
      at.chunks.put(chunk.hash(), chunk.bytes());
      leader.chunkStored(chunk.hash(), chunk.bytes().length);
    }
  }
}

package io.hypersync.leader.dataplane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.leader.dataplane.DataPlaneSettings.Mode;
import io.hypersync.leader.port.NoChunks;
import io.hypersync.leader.session.RecordingSessionPort;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.wire.message.ChunkDelivery;
import io.hypersync.wire.message.Feature;
import io.hypersync.wire.message.Features;
import io.hypersync.wire.message.WorkerMessage.DecodeProgress;
import io.hypersync.wire.transport.PathFigures;
import io.hypersync.wire.transport.SessionId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Who gets which chunks unasked, and how many at a time. */
class ChunkFanoutTest {
  private static final SessionId A = new SessionId(1);
  private static final SessionId B = new SessionId(2);
  private static final WorkerId WORKER_A = new WorkerId("a");
  private static final WorkerId WORKER_B = new WorkerId("b");
  private static final Features SYMBOLS = Features.of(Feature.QUIC_DATAGRAM, Feature.RAPTORQ);
  private static final int CHUNK_BYTES = 64 << 10;
  private static final long SECOND = 1_000_000_000;

  private final Chunks chunks = new Chunks();
  private final RecordingSessionPort paths = new RecordingSessionPort();
  private boolean takesSymbols = true;
  private long entry = 10;

  @BeforeEach
  void takesDatagrams() {
    paths.maxSymbolBytes = 1_144;
    paths.figures = new PathFigures(1_000, 1, 0, 0);
  }

  @Test
  void whatAWorkerHasWrittenIsSentToTheOthers() {
    ChunkFanout fanout = fanout(Mode.STREAMS);
    long index = written(fanout, WORKER_A, 2);
    assertEquals(ChunkDelivery.ON_REQUEST, fanout.push(A, WORKER_A, index, index, 0), "its own");
    assertEquals(ChunkDelivery.STREAM, fanout.push(B, WORKER_B, index, index, 0));
    assertEquals(List.of(B, B), chunks.served);
  }

  @Test
  void nothingIsSentOfEntriesFromBeforeOrOfWhatWasNotUploaded() {
    ChunkFanout fanout = fanout(Mode.STREAMS);
    assertEquals(ChunkDelivery.ON_REQUEST, fanout.push(B, WORKER_B, 9, 9, 0), "before its start");
    entry++;
    fanout.sequenced(entry, WORKER_A, List.of(new ChunkRef(new Hash(entry, 0, 0, 0), CHUNK_BYTES)));
    assertEquals(ChunkDelivery.ON_REQUEST, fanout.push(B, WORKER_B, entry, entry, 0), "a copy");
    assertEquals(List.of(), chunks.served);
  }

  /** So that a worker knows of each entry whether to wait or to ask. */
  @Test
  void aMessageHasEntriesOfOneKind() {
    ChunkFanout fanout = fanout(Mode.STREAMS);
    long first = written(fanout, WORKER_A, 1);
    entry++; // one without chunks
    long second = written(fanout, WORKER_A, 1);
    long own = written(fanout, WORKER_B, 1);
    long last = written(fanout, WORKER_A, 1);
    assertEquals(second, fanout.oneMessage(B, WORKER_B, first, last));
    assertEquals(own, fanout.oneMessage(B, WORKER_B, own, last));
    assertEquals(last, fanout.oneMessage(B, WORKER_B, last, last));
    assertEquals(ChunkDelivery.ON_REQUEST, fanout.push(B, WORKER_B, own, own, 0));
  }

  @Test
  void whatWasAskedForIsNotSentToo() {
    ChunkFanout fanout = fanout(Mode.DATAGRAMS);
    for (int i = 0; i < 60; i++) {
      long index = written(fanout, WORKER_A, 1);
      assertEquals(ChunkDelivery.DATAGRAMS, fanout.push(B, WORKER_B, index, index, 0));
    }
    int first = chunks.symbols.size();
    fanout.asked(B, List.of(new ChunkRef(new Hash(entry, 0, 0, 0), CHUNK_BYTES)));
    assertEquals(
        (long) (59 - first) * CHUNK_BYTES, Objects.requireNonNull(fanout.status(B)).waitingBytes());
  }

  /** A worker may say that all has arrived before anything was sent. */
  @Test
  void whatIsNotMadeYetCannotHaveArrived() {
    ChunkFanout fanout = fanout(Mode.DATAGRAMS);
    chunks.isFast = false;
    for (int i = 0; i < 300; i++) {
      long index = written(fanout, WORKER_A, 1);
      assertEquals(ChunkDelivery.DATAGRAMS, fanout.push(B, WORKER_B, index, index, 0));
      fanout.progress(B, new DecodeProgress(Long.MAX_VALUE, 0), 0);
      fanout.applied(B, 0, 0);
    }
    assertTrue(chunks.symbols.size() <= 32, () -> chunks.symbols.size() + " are being made");
  }

  @Test
  void aFullStreamHasTheWorkerAsk() {
    ChunkFanout fanout = fanout(Mode.STREAMS);
    paths.bulkWritable = false;
    long index = written(fanout, WORKER_A, 1);
    assertEquals(ChunkDelivery.ON_REQUEST, fanout.push(B, WORKER_B, index, index, 0));
    assertEquals(List.of(), chunks.served);
    assertEquals(1, Objects.requireNonNull(fanout.status(B)).refused());
  }

  @Test
  void datagramsWaitForWhatIsOnItsWay() {
    ChunkFanout fanout = fanout(Mode.DATAGRAMS);
    for (int i = 0; i < 100; i++) {
      long index = written(fanout, WORKER_A, 1);
      assertEquals(ChunkDelivery.DATAGRAMS, fanout.push(B, WORKER_B, index, index, 0));
    }
    int first = chunks.symbols.size();
    DataPlaneStatus status = Objects.requireNonNull(fanout.status(B));
    assertTrue(first >= 24 && first <= 32, () -> first + " chunks are on their way");
    assertTrue(status.onTheWayBytes() <= 2 << 20, status::toString);
    assertEquals((long) (100 - first) * CHUNK_BYTES, status.waitingBytes());

    chunks.tellAll();
    assertEquals(first, chunks.symbols.size(), "they are on their way still");
    fanout.progress(B, new DecodeProgress(3, 0), 1);
    assertEquals(first + 3, chunks.symbols.size(), "as many as have arrived");
    chunks.tellAll();
    fanout.progress(B, new DecodeProgress(6, 200 << 10), 2);
    assertTrue(chunks.symbols.size() < first + 6, "what the worker has not decoded counts");
  }

  /** A worker that knew of them would wait for their chunks, and ask for them in the end. */
  @Test
  void entriesAreHeldBackWhileChunksOfEarlierOnesWait() {
    ChunkFanout fanout = fanout(Mode.DATAGRAMS);
    int sent = 0;
    while (fanout.hasRoom(B)) {
      long index = written(fanout, WORKER_A, 1);
      assertEquals(ChunkDelivery.DATAGRAMS, fanout.push(B, WORKER_B, index, index, 0));
      sent++;
      assertTrue(sent < 1_000, "held back at all");
    }
    DataPlaneStatus status = Objects.requireNonNull(fanout.status(B));
    assertTrue(status.waitingBytes() > 0, "what is on its way is enough");
    assertTrue(status.waitingBytes() <= 1 << 20, status::toString);
    assertTrue(fanout.hasRoom(A), "the others get theirs");
    chunks.tellAll();
    fanout.progress(B, new DecodeProgress(sent, 0), 1);
    assertTrue(fanout.hasRoom(B));
  }

  @Test
  void aMessageHasNoMoreThanMayBeOnItsWay() {
    ChunkFanout fanout = fanout(Mode.DATAGRAMS);
    long first = written(fanout, WORKER_A, 1);
    long last = first;
    for (int i = 0; i < 100; i++) {
      last = written(fanout, WORKER_A, 1);
    }
    long end = fanout.oneMessage(B, WORKER_B, first, last);
    assertEquals(2 << 20, (end + 1 - first) * CHUNK_BYTES);
    assertEquals(last, fanout.oneMessage(A, WORKER_A, first, last), "its own are not sent");
  }

  /** 12.4: who is cut off has his own queue filled, and nobody else's. */
  @Test
  void aWorkerThatTellsNothingHoldsUpNobody() {
    ChunkFanout fanout = fanout(Mode.DATAGRAMS);
    ChunkDelivery last = ChunkDelivery.DATAGRAMS;
    for (int i = 0; i < 3_000; i++) {
      long index = written(fanout, new WorkerId("c"), 1);
      last = fanout.push(B, WORKER_B, index, index, 0);
      assertEquals(ChunkDelivery.DATAGRAMS, fanout.push(A, WORKER_A, index, index, 0));
      chunks.tellAll();
      fanout.progress(A, new DecodeProgress(i + 1, 0), 0);
    }
    assertEquals(ChunkDelivery.ON_REQUEST, last, "it has to ask");
    assertTrue(Objects.requireNonNull(fanout.status(B)).waitingBytes() <= 64 << 20);
    assertEquals(0, Objects.requireNonNull(fanout.status(A)).waitingBytes());
  }

  /** A writer may make its chunks as small as it likes. */
  @Test
  void nobodyKeepsMoreThanSoManyTinyChunks() {
    ChunkFanout fanout = fanout(Mode.DATAGRAMS);
    ChunkDelivery last = ChunkDelivery.DATAGRAMS;
    for (int i = 0; i < 400 && last == ChunkDelivery.DATAGRAMS; i++) {
      entry++;
      List<ChunkRef> tiny = new ArrayList<>();
      for (int j = 0; j < 100; j++) {
        tiny.add(new ChunkRef(new Hash(entry, j, 0, 0), 100));
      }
      tiny.forEach(chunk -> fanout.uploaded(chunk.hash()));
      fanout.sequenced(entry, WORKER_A, tiny);
      last = fanout.push(B, WORKER_B, entry, entry, 0);
    }
    assertEquals(ChunkDelivery.ON_REQUEST, last);
  }

  @Test
  void whatIsNotHeardOfIsGivenUpAfterASecond() {
    ChunkFanout fanout = fanout(Mode.DATAGRAMS);
    for (int i = 0; i < 60; i++) {
      long index = written(fanout, WORKER_A, 1);
      assertEquals(ChunkDelivery.DATAGRAMS, fanout.push(B, WORKER_B, index, index, 0));
    }
    int first = chunks.symbols.size();
    chunks.tellAll();
    fanout.tick(SECOND / 2);
    assertEquals(first, chunks.symbols.size());
    fanout.tick(SECOND);
    assertTrue(chunks.symbols.size() > first, "the others follow");
  }

  @Test
  void whatIsAppliedIsNotSentAnyMore() {
    ChunkFanout fanout = fanout(Mode.DATAGRAMS);
    for (int i = 0; i < 60; i++) {
      long index = written(fanout, WORKER_A, 1);
      assertEquals(ChunkDelivery.DATAGRAMS, fanout.push(B, WORKER_B, index, index, 0));
    }
    int first = chunks.symbols.size();
    fanout.applied(B, entry, 1);
    assertEquals(first, chunks.symbols.size());
    DataPlaneStatus status = Objects.requireNonNull(fanout.status(B));
    assertEquals(0, status.waitingBytes() + status.onTheWayBytes());
  }

  @Test
  void moreRepairSymbolsGoWherePacketsAreLost() {
    ChunkFanout fanout = fanout(Mode.DATAGRAMS);
    assertEquals(6, repairOfNext(fanout), "10 % of 58");
    paths.figures = new PathFigures(1, 1 << 20, 10_000, 1_000);
    fanout.tick(0);
    assertTrue(repairOfNext(fanout) > 12, () -> chunks.symbols.getLast() + " with 10 % lost");
  }

  @Test
  void aWorkerWithoutDatagramsGetsStreams() {
    paths.maxSymbolBytes = 0;
    ChunkFanout fanout = fanout(Mode.DATAGRAMS);
    long index = written(fanout, WORKER_A, 1);
    assertEquals(ChunkDelivery.STREAM, fanout.push(B, WORKER_B, index, index, 0));
  }

  @Test
  void aWorkerThatDoesNotUnderstandSymbolsGetsStreams() {
    takesSymbols = false;
    ChunkFanout fanout = fanout(Mode.DATAGRAMS);
    long index = written(fanout, WORKER_A, 1);
    assertEquals(ChunkDelivery.STREAM, fanout.push(B, WORKER_B, index, index, 0));
  }

  private int repairOfNext(ChunkFanout fanout) {
    long index = written(fanout, WORKER_A, 1);
    assertEquals(ChunkDelivery.DATAGRAMS, fanout.push(B, WORKER_B, index, index, 0));
    return chunks.symbols.getLast();
  }

  private ChunkFanout fanout(Mode mode) {
    ChunkFanout fanout =
        new ChunkFanout(
            new DataPlaneSettings(mode, 1_280, 0.10, DataPlaneSettings.Limits.DEFAULT),
            chunks,
            paths,
            entry + 1,
            0);
    fanout.established(A, SYMBOLS, 0);
    fanout.established(B, takesSymbols ? SYMBOLS : Features.NONE, 0);
    return fanout;
  }

  private long written(ChunkFanout fanout, WorkerId writer, int count) {
    entry++;
    List<ChunkRef> mentioned = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      mentioned.add(new ChunkRef(new Hash(entry, i, 0, 0), CHUNK_BYTES));
    }
    mentioned.forEach(chunk -> fanout.uploaded(chunk.hash()));
    fanout.sequenced(entry, writer, mentioned);
    return entry;
  }

  private static final class Chunks extends NoChunks {
    private final List<SessionId> served = new ArrayList<>();

    /** How many repair symbols each chunk got. */
    private final List<Integer> symbols = new ArrayList<>();

    /** What is to be told once the call has returned. */
    private final ArrayDeque<Runnable> later = new ArrayDeque<>();

    private boolean isFast = true;

    void tellAll() {
      while (!later.isEmpty()) {
        later.removeFirst().run();
      }
    }

    @Override
    public void serve(SessionId session, List<ChunkRef> wanted) {
      wanted.forEach(_ -> served.add(session));
    }

    @Override
    public void sendSymbols(
        SessionId session,
        long push,
        ChunkRef chunk,
        int symbolBytes,
        int repair,
        Runnable handedOver) {
      symbols.add(repair);
      if (isFast) {
        later.add(handedOver);
      }
    }
  }
}

package io.hypersync.worker.dataplane;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.wire.message.ChunkDelivery;
import io.hypersync.wire.message.ChunkSymbol;
import io.hypersync.wire.message.WorkerMessage.DecodeProgress;
import io.hypersync.worker.RecordingLeaderLink;
import io.hypersync.worker.port.WorkerChunks;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Chunks come unasked, and what does not come is asked for. */
class PushedChunksTest {
  private static final long MS = 1_000_000;
  private static final int SYMBOL_BYTES = 512;

  private final RecordingLeaderLink link = new RecordingLeaderLink();
  private final Decoding decoding = new Decoding();
  private final List<ChunkRef> asked = new ArrayList<>();
  private final PushedChunks pushed = new PushedChunks(link, decoding, asked::addAll);
  private final SymbolsOfAChunk first = new SymbolsOfAChunk(1, 20_000, SYMBOL_BYTES);
  private final SymbolsOfAChunk second = new SymbolsOfAChunk(2, 20_000, SYMBOL_BYTES);

  @Test
  void whatIsOnRequestIsAskedForAtOnce() {
    pushed.needed(List.of(ref(first)), ChunkDelivery.ON_REQUEST, 0);
    assertEquals(List.of(ref(first)), asked);
  }

  @Test
  void whatComesInTimeIsNotAskedFor() {
    pushed.needed(List.of(ref(first)), ChunkDelivery.DATAGRAMS, 0);
    all(first, 1 * MS);
    assertEquals(List.of(first.hash), decoding.chunks);
    pushed.stored(first.hash, 2 * MS);
    pushed.tick(5_000 * MS);
    assertEquals(List.of(), asked);
  }

  @Test
  void symbolsMayComeBeforeTheirEntry() {
    all(first, 1 * MS);
    assertEquals(List.of(first.hash), decoding.chunks);
  }

  @Test
  void whatDoesNotComeIsAskedForOnce() {
    pushed.needed(List.of(ref(first)), ChunkDelivery.DATAGRAMS, 0);
    pushed.tick(150 * MS);
    assertEquals(List.of(), asked, "the round trip is not known: 100 ms are assumed");
    pushed.tick(165 * MS);
    pushed.tick(1_000 * MS);
    assertEquals(List.of(ref(first)), asked);
  }

  @Test
  void aLaterChunkShowsThatAnEarlierOneIsLost() {
    pushed.needed(List.of(ref(first), ref(second)), ChunkDelivery.DATAGRAMS, 0);
    all(second, 1 * MS);
    pushed.tick(2 * MS);
    assertEquals(List.of(), asked);
    pushed.tick(20 * MS);
    assertEquals(List.of(ref(first)), asked);
  }

  /** It waits in the leader's queue behind what others need, and comes in its turn. */
  @Test
  void whatIsSentToAllIsWaitedForWhileAnythingComes() {
    pushed.needed(List.of(ref(first)), ChunkDelivery.DATAGRAMS, 0);
    for (int i = 0; i < 10; i++) {
      pushed.received(toAll(second, i), i * 200L * MS);
      pushed.tick(i * 200L * MS + 190 * MS);
    }
    assertEquals(List.of(), asked);
    pushed.tick(1_800 * MS + 300 * MS);
    assertEquals(List.of(ref(first)), asked, "nothing came for 1.5 round trips and 150 ms");
  }

  /** Every worker can send to all: nobody is to fill this disk with what no entry mentions. */
  @Test
  void whatCameToAllIsMadeWhenAnEntryMentionsIt() {
    wholeToAll(first, 1 * MS);
    assertEquals(List.of(), decoding.chunks);
    pushed.needed(List.of(ref(first), ref(second)), ChunkDelivery.DATAGRAMS, 2 * MS);
    assertEquals(List.of(first.hash), decoding.chunks);
    wholeToAll(second, 3 * MS);
    assertEquals(List.of(first.hash, second.hash), decoding.chunks, "an entry waits for it");
    pushed.tick(5_000 * MS);
    assertEquals(List.of(), asked);
  }

  @Test
  void whatCameToAllIsKeptUpToALimitAndIsTakenAgainThen() {
    List<SymbolsOfAChunk> many = new ArrayList<>();
    for (int i = 0; i < 200; i++) { // 12 MiB
      many.add(new SymbolsOfAChunk(10 + i, 65_536, 32_768));
      wholeToAll(many.getLast(), 1 * MS);
    }
    ChunkRef oldest = ref(many.getFirst());
    pushed.needed(List.of(oldest), ChunkDelivery.DATAGRAMS, 2 * MS);
    assertEquals(List.of(), decoding.chunks, "the oldest one has made room");
    pushed.needed(List.of(ref(many.getLast())), ChunkDelivery.ON_REQUEST, 2 * MS);
    assertEquals(List.of(many.getLast().hash), decoding.chunks);
    assertEquals(List.of(), asked, "it is here");
    wholeToAll(many.getFirst(), 3 * MS);
    assertEquals(List.of(many.getLast().hash, oldest.hash()), decoding.chunks);
  }

  private void wholeToAll(SymbolsOfAChunk chunk, long nowNs) {
    for (int id = 0; id < chunk.sourceSymbols(); id++) {
      pushed.received(toAll(chunk, id), nowNs);
    }
  }

  private static ChunkSymbol toAll(SymbolsOfAChunk chunk, int id) {
    ChunkSymbol symbol = chunk.symbol(id);
    return new ChunkSymbol(
        ChunkSymbol.TO_ALL,
        symbol.chunk(),
        symbol.chunkBytes(),
        symbol.symbolBytes(),
        symbol.id(),
        symbol.bytes());
  }

  @Test
  void whatTheLeaderCannotSendOnAStreamIsAskedForInTheEnd() {
    pushed.needed(List.of(ref(first)), ChunkDelivery.STREAM, 0);
    pushed.tick(900 * MS);
    assertEquals(List.of(), asked);
    pushed.tick(1_000 * MS);
    assertEquals(List.of(ref(first)), asked);
  }

  @Test
  void aChunkThatCannotBeDecodedIsAskedForIfAnEntryWaits() {
    pushed.notDecoded(ref(first), false);
    assertEquals(List.of(), asked);
    pushed.notDecoded(ref(first), true);
    assertEquals(List.of(ref(first)), asked);
  }

  @Test
  void theLeaderIsToldHowFarTheSymbolsAre() {
    pushed.received(first.symbol(0), 10 * MS);
    pushed.tick(10 * MS);
    assertEquals(1, link.sent(DecodeProgress.class).getLast().push());
    int backlog = link.sent(DecodeProgress.class).getLast().backlogBytes();
    assertEquals(pushed.status().backlogBytes(), backlog);
    pushed.tick(20 * MS);
    assertEquals(1, link.sent(DecodeProgress.class).size(), "nothing new");
  }

  /** 12.4: a disk that is slow holds up what the leader sends, and takes no more memory. */
  @Test
  void whatIsNotStoredYetCountsAndIsBounded() {
    int chunkBytes = 64 << 10;
    for (int i = 0; i < 600; i++) {
      all(new SymbolsOfAChunk(10 + i, chunkBytes, 16 << 10), 1 * MS);
    }
    int kept = decoding.chunks.size();
    assertEquals((32 << 20) / (chunkBytes + 1_024), kept, "32 MiB with their overhead");
    pushed.tick(10 * MS);
    assertEquals(
        kept * (chunkBytes + 1_024), link.sent(DecodeProgress.class).getLast().backlogBytes());
    decoding.chunks.subList(0, 256).forEach(chunk -> pushed.stored(chunk, 11 * MS));
    pushed.notStored(decoding.chunks.get(256));
    pushed.tick(11 * MS);
    assertEquals(
        (kept - 257) * (chunkBytes + 1_024),
        link.sent(DecodeProgress.class).getLast().backlogBytes(),
        "at once");
  }

  @Test
  void anotherConnectionBeginsAnew() {
    pushed.needed(List.of(ref(first)), ChunkDelivery.DATAGRAMS, 0);
    pushed.received(second.symbol(0), 0);
    pushed.leaderLost();
    pushed.tick(9_000 * MS);
    assertEquals(List.of(), asked, "entries come again, and their chunks with them");
    assertEquals(0, pushed.status().backlogBytes());
  }

  private void all(SymbolsOfAChunk chunk, long nowNs) {
    for (int id = 0; id < chunk.sourceSymbols(); id++) {
      pushed.received(chunk.symbol(id), nowNs);
    }
  }

  private static ChunkRef ref(SymbolsOfAChunk chunk) {
    return new ChunkRef(chunk.hash, chunk.data.length);
  }

  private static final class Decoding implements WorkerChunks {
    private final List<Hash> chunks = new ArrayList<>();

    @Override
    public Presence presence(Hash hash) throws ChunkStoreException {
      return Presence.MISSING;
    }

    @Override
    public void verify(ChunkRef chunk) {}

    @Override
    public void read(Hash hash) {}

    @Override
    public void storeInline(List<ChunkRef> inline, byte[] payload) {}

    @Override
    public void ingest(Hash hash, byte[] bytes) {}

    @Override
    public void decode(ReceivedBlock block) {
      chunks.add(block.chunk());
    }
  }
}

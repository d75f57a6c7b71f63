package io.hypersync.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.chunkstore.InMemoryChunkStore;
import io.hypersync.cli.trace.ReplayedChunks;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.log.LogEntryCodec;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.trie.RootVersion;
import io.hypersync.worker.replica.Replica;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Chunks arrive in any order, twice, damaged, or before they were requested; entries arrive in
 * batches, again after a reconnect, or with a gap. The replica must reach the same roots, one entry
 * after another (hypersync.md 22.1(2), 22.2).
 */
@Tag("slow")
final class ShuffledDeliveryTest {
  private static final int ENTRIES = 200;

  private final ReplayedChunks chunks = new ReplayedChunks(new InMemoryChunkStore());
  private final List<Hash> roots = new ArrayList<>();

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
  void whateverTheOrderTheRootsAreTheSame(long seed) throws DecodeException {
    TraceHistory history = TraceHistory.of(seed, ENTRIES);
    List<byte[]> log = history.entries().stream().map(LogEntryCodec::encode).toList();
    Replica replica =
        new Replica(
            chunks,
            (entry, before, after) -> {
              assertEquals(before.index() + 1, entry.index());
              return () -> roots.add(after.root());
            },
            RootVersion.LATEST);
    Random random = new Random(seed);
    List<ChunkRef> wanted = new ArrayList<>();
    int sent = 0;
    long durable = 0;
    int gaps = 0;
    for (int step = 0; roots.size() < ENTRIES; step++) {
      assertTrue(step < 200_000, "seed " + seed + " stands still at " + roots.size());
      switch (random.nextInt(12)) {
        case 0, 1, 2, 3 -> {
          int from = random.nextInt(sent + 1);
          int to = Math.min(ENTRIES, from + random.nextInt(20));
          wanted.addAll(replica.offer(log.subList(from, to)));
          sent = Math.max(sent, to);
        }
        case 4 -> {
          if (sent + 2 < ENTRIES) {
            List<byte[]> torn = log.subList(sent + 1, sent + 2);
            assertThrows(DecodeException.class, () -> replica.offer(torn));
            gaps++;
          }
        }
        case 5 -> {
          replica.forgetNotDurable();
          wanted.clear();
          sent = (int) replica.applied().index();
        }
        case 6 -> {
          // A chunk of any entry, applied already or still to come.
          LogEntry entry = history.entries().get(random.nextInt(ENTRIES));
          entry.op().chunks().forEach(chunk -> deliver(replica, history, chunk.hash()));
        }
        case 7 -> {
          if (!wanted.isEmpty()) {
            Hash hash = wanted.getFirst().hash();
            byte[] bytes = history.chunk(hash).clone();
            bytes[random.nextInt(bytes.length)] ^= 1;
            assertThrows(ChunkStoreException.class, () -> chunks.ingest(hash, bytes));
          }
        }
        case 8 -> {
          durable = Math.max(durable, random.nextLong(sent + 1));
          replica.apply(1 + random.nextInt(10), durable);
        }
        default -> {
          Collections.shuffle(wanted, random);
          if (!wanted.isEmpty()) {
            Hash hash = wanted.getFirst().hash();
            deliver(replica, history, hash);
            if (random.nextInt(3) > 0) {
              wanted.removeFirst(); // otherwise it is delivered again later
            }
          }
        }
      }
    }
    assertNull(replica.error());
    assertEquals(history.entries().stream().map(LogEntry::root).toList(), roots, "seed " + seed);
    assertTrue(gaps > 0, "seed " + seed + " had no gap");
  }

  private void deliver(Replica replica, TraceHistory history, Hash hash) {
    chunks.ingest(hash, history.chunk(hash));
    replica.chunkStored(hash);
  }
}

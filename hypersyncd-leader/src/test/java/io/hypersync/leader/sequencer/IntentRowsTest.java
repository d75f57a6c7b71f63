package io.hypersync.leader.sequencer;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.hypersync.chunkstore.database.Batch;
import io.hypersync.chunkstore.database.Database;
import io.hypersync.chunkstore.database.InMemoryDatabase;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.OpId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.WriteMode;
import io.hypersync.model.state.FsState;
import io.hypersync.wire.message.LeaderMessage.Committed;
import java.io.IOException;
import java.io.InputStream;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The bytes of stored intents are those of version 1. */
class IntentRowsTest {
  private static final ClientId CLIENT = new ClientId(0x0102030405060708L, 0x1112131415161718L);
  private static final OpId OP = new OpId(0x3132333435363738L, 0x4142434445464748L);
  private static final long NEWER_NS = 1_700_000_000_000_000_001L;
  private static final long OLDER_NS = 1_600_000_000_000_000_000L;
  private static final WorkerId W = new WorkerId("w1");

  @Test
  void goldenRowsAreRead() throws IOException {
    InMemoryDatabase database = golden();
    IntentStore store = new IntentStore(database, IntentRetention.DEFAULT);
    assertEquals(42, store.through());
    assertEquals(7, store.forgottenThrough());
    assertEquals(
        new Committed(42, OP, NEWER_NS, root(), -1), store.find(new IntentId(CLIENT, 0x21)));
    assertEquals(
        new Committed(30, OP, OLDER_NS, root(), 4_096), store.find(new IntentId(CLIENT, 0x1f)));
    assertEquals(new StoredClient(W, 0x21), store.client(CLIENT));
    byte[] generations = database.get(Database.DEFAULT, IntentRows.GENERATIONS);
    assertNotNull(generations);
    assertEquals(
        new IntentGenerations(42, 7, 3, OLDER_NS, 30, OP), IntentGenerations.decode(generations));
  }

  @Test
  void goldenRowsAreWritten() throws IOException {
    InMemoryDatabase golden = golden();
    InMemoryDatabase database = new InMemoryDatabase();
    Batch before = new Batch();
    IntentGenerations early = new IntentGenerations(29, 7, 2, 1, 20, OP);
    before.put(Database.DEFAULT, IntentRows.GENERATIONS, early.encoded());
    database.write(before);
    IntentStore store = new IntentStore(database, new IntentRetention(12, Long.MAX_VALUE));
    store.write(batch(entry(30, 0x1f, OLDER_NS, WriteMode.APPEND, 4_096)));
    assertEquals(rows(golden, "intents-2"), rows(database, "intents-2"));

    Batch later = new Batch();
    IntentGenerations late = new IntentGenerations(41, 7, 3, OLDER_NS, 30, OP);
    later.put(Database.DEFAULT, IntentRows.GENERATIONS, late.encoded());
    database.write(later);
    store = new IntentStore(database, new IntentRetention(12, Long.MAX_VALUE));
    store.write(batch(entry(42, 0x21, NEWER_NS, WriteMode.PWRITE, 4_096)));
    assertEquals(rows(golden, "intents-3"), rows(database, "intents-3"));
    assertEquals(rows(golden, Database.DEFAULT), rows(database, Database.DEFAULT));
  }

  private static IntentBatch batch(LogEntry entry) {
    return new IntentBatch(List.of(CommittedIntent.of(entry)));
  }

  private static LogEntry entry(long index, long seqNo, long timeNs, WriteMode mode, long offset) {
    return new LogEntry(
        index,
        OP,
        timeNs,
        new IntentId(CLIENT, seqNo),
        W,
        "",
        new FsOp.Write(FsState.ROOT, mode, offset, List.of(new ChunkRef(root(), 5)), false),
        LogEntry.NO_NODE,
        root(),
        new byte[0],
        new byte[0]);
  }

  private static Hash root() {
    byte[] bytes = new byte[Hash.BYTES];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) i;
    }
    return Hash.read(bytes, 0);
  }

  private static Set<String> rows(Database database, String family) {
    Set<String> rows = new TreeSet<>();
    var _ =
        database.scan(
            family,
            new byte[0],
            Integer.MAX_VALUE,
            (key, value) ->
                rows.add(HexFormat.of().formatHex(key) + ' ' + HexFormat.of().formatHex(value)));
    return rows;
  }

  private static InMemoryDatabase golden() throws IOException {
    InMemoryDatabase database = new InMemoryDatabase();
    try (InputStream in = IntentRowsTest.class.getResourceAsStream("/intents/v1.rows")) {
      assertNotNull(in);
      Batch rows = new Batch();
      for (String line : new String(in.readAllBytes(), US_ASCII).lines().toList()) {
        if (!line.startsWith("#")) {
          String[] row = line.split(" ", 3);
          if (!row[0].equals(Database.DEFAULT) && !database.families().contains(row[0])) {
            database.createFamily(row[0]);
          }
          rows.put(row[0], HexFormat.of().parseHex(row[1]), HexFormat.of().parseHex(row[2]));
        }
      }
      database.write(rows);
    }
    return database;
  }
}

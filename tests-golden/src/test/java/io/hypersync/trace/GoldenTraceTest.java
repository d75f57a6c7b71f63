package io.hypersync.trace;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.chunkstore.InMemoryChunkStore;
import io.hypersync.cli.trace.TemporaryStore;
import io.hypersync.cli.trace.TraceReader;
import io.hypersync.cli.trace.TraceRecord;
import io.hypersync.cli.trace.TraceReplay;
import io.hypersync.cli.trace.TraceReport;
import io.hypersync.cli.trace.TraceWriter;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.log.LogEntryCodec;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.trie.RootVersion;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every committed golden trace must replay to the same roots, whichever format version it has. */
final class GoldenTraceTest {
  static List<Path> traces() {
    return GoldenTraces.all();
  }

  @ParameterizedTest
  @MethodSource("traces")
  void aCommittedTraceGivesItsRootsOnAnEmptyStore(Path file) throws IOException {
    try (var in = Files.newInputStream(file);
        TemporaryStore temporary = TemporaryStore.create()) {
      TraceReader reader = new TraceReader(in);
      assertEquals("v" + reader.version(), file.getName(file.getNameCount() - 2).toString());
      TraceReport report = TraceReplay.replay(reader, temporary.store(), _ -> {});
      assertNull(report.mismatch());
      assertEquals(reader.entries(), report.entries());
      assertEquals(
          (report.entries() + TraceWriter.CHECKPOINT_EVERY - 1) / TraceWriter.CHECKPOINT_EVERY,
          report.checkpoints());
    }
  }

  /**
   * A trace that is read and written again gives the same file; one of an earlier version the same
   * records.
   */
  @ParameterizedTest
  @MethodSource("traces")
  void aTraceWrittenAgainIsTheSameFile(Path file) throws IOException, DecodeException {
    byte[] trace = Files.readAllBytes(file);
    Map<Hash, byte[]> chunks = new HashMap<>();
    ByteArrayOutputStream again = new ByteArrayOutputStream();
    TraceReader reader = new TraceReader(new ByteArrayInputStream(trace));
    RootVersion roots = reader.roots();
    TraceWriter writer =
        new TraceWriter(again, roots, hash -> chunks.getOrDefault(hash, new byte[0]));
    for (TraceRecord record : GoldenTraces.records(trace)) {
      switch (record) {
        case TraceRecord.ChunkData(Hash hash, byte[] bytes) -> chunks.put(hash, bytes);
        case TraceRecord.State(byte[] manifest) -> writer.begin(manifest);
        case TraceRecord.Entry(byte[] bytes) -> writer.entry(LogEntryCodec.decode(bytes));
        case TraceRecord.Checkpoint _ -> {
          // The writer decides itself when to write a checkpoint.
        }
      }
    }
    writer.finish();
    if (reader.version() == TraceHistory.VERSION) {
      assertArrayEquals(trace, again.toByteArray());
    }
    assertEquals(described(trace), described(again.toByteArray()));
  }

  /** The records of a trace as a person would compare them. */
  private static List<String> described(byte[] trace) throws IOException {
    return GoldenTraces.records(trace).stream()
        .map(
            record ->
                switch (record) {
                  case TraceRecord.State(byte[] manifest) -> "state " + Blake3.hash(manifest);
                  case TraceRecord.Entry(byte[] bytes) -> "entry " + Blake3.hash(bytes);
                  case TraceRecord.ChunkData(Hash hash, byte[] bytes) ->
                      "chunk " + hash + " " + Blake3.hash(bytes);
                  case TraceRecord.Checkpoint checkpoint -> checkpoint.toString();
                })
        .toList();
  }

  @Test
  void theCommittedTracesHaveEveryOpInThem() throws IOException, DecodeException {
    Set<Class<?>> ops = new HashSet<>();
    for (Path file : traces()) {
      for (TraceRecord record : GoldenTraces.records(Files.readAllBytes(file))) {
        if (record instanceof TraceRecord.Entry(byte[] bytes)) {
          ops.add(LogEntryCodec.decode(bytes).op().getClass());
        }
      }
    }
    assertEquals(Set.<Class<?>>of(FsOp.class.getPermittedSubclasses()), ops);
  }

  /** The same histories in both versions: what differs is only how a root is computed. */
  @ParameterizedTest
  @ValueSource(strings = {"history-1.trace", "history-2.trace"})
  void versionsOfATraceDifferInRootsOnly(String name) throws IOException, DecodeException {
    List<LogEntry> first = entries(trace("v1", name));
    List<LogEntry> second = entries(trace("v2", name));
    assertEquals(first.size(), second.size());
    for (int i = 0; i < first.size(); i++) {
      assertNotEquals(first.get(i).root(), second.get(i).root());
      assertArrayEquals(withoutRoot(first.get(i)), withoutRoot(second.get(i)));
    }
  }

  private static Path trace(String version, String name) {
    return traces().stream()
        .filter(file -> file.endsWith(Path.of(version, name)))
        .findFirst()
        .orElseThrow();
  }

  private static List<LogEntry> entries(Path file) throws IOException, DecodeException {
    List<LogEntry> entries = new ArrayList<>();
    for (TraceRecord record : GoldenTraces.records(Files.readAllBytes(file))) {
      if (record instanceof TraceRecord.Entry(byte[] bytes)) {
        entries.add(LogEntryCodec.decode(bytes));
      }
    }
    return entries;
  }

  private static byte[] withoutRoot(LogEntry entry) {
    return LogEntryCodec.encode(
        new LogEntry(
            entry.index(),
            entry.opId(),
            entry.committedAtNs(),
            entry.intent(),
            entry.origin(),
            entry.agent(),
            entry.op(),
            entry.createdNode(),
            Hash.ZERO,
            entry.hazard(),
            entry.inlinePayload()));
  }

  /** What was trimmed is not needed: a state stands for it, and its pages are in the file. */
  @Test
  void aTraceThatBeginsWithAStateHasTheSameRoots() throws IOException {
    TraceHistory history = TraceHistory.restored(4, 300);
    for (int begin : new int[] {1, 150, 299, 300}) {
      TraceReport report = replay(history.trimmedTrace(begin));
      assertNull(report.mismatch());
      assertEquals(begin, report.begin());
      assertEquals(300 - begin, report.entries());
      assertEquals(history.root(), report.root());
    }
  }

  private static TraceReport replay(byte[] trace) throws IOException {
    return TraceReplay.replay(
        new TraceReader(new ByteArrayInputStream(trace)), new InMemoryChunkStore(), _ -> {});
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void aTraceMadeNowReplays(long seed) throws IOException {
    TraceHistory history = TraceHistory.of(seed, 300);
    TraceReport report =
        TraceReplay.replay(
            new TraceReader(new ByteArrayInputStream(history.trace())),
            new InMemoryChunkStore(),
            _ -> {});
    assertNull(report.mismatch());
    assertEquals(history.root(), report.root());
    assertEquals(history.entries().stream().mapToLong(LogEntry::index).max().orElseThrow(), 300);
    assertEquals(300, report.entries());
    assertTrue(report.chunks() > 20, report::toString);
  }

  static List<Long> seeds() {
    return List.of(1L, 2L, 3L, 4L, 5L);
  }

  /**
   * Writes traces; with the system property, this is how the committed ones are made. One seed
   * always gives the same trace.
   */
  @Test
  void writesTraces(@TempDir Path temporary) throws IOException {
    Path folder = Path.of(System.getProperty("hypersync.traces.write", temporary.toString()));
    Files.createDirectories(folder);
    for (long seed = 1; seed <= 2; seed++) {
      Path file = folder.resolve("history-" + seed + ".trace");
      Files.write(file, TraceHistory.of(seed, 256).trace());
      assertArrayEquals(TraceHistory.of(seed, 256).trace(), Files.readAllBytes(file));
    }
    Files.write(folder.resolve("trimmed.trace"), TraceHistory.trimmed(3, 300, 200));
  }
}

package io.hypersync.leader.conversion;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.chunkstore.Chunk;
import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.chunkstore.InMemoryChunkStore;
import io.hypersync.leader.conversion.LogConversion.Converted;
import io.hypersync.leader.conversion.LogConversion.Step;
import io.hypersync.leader.oplog.CommittedBatch;
import io.hypersync.leader.oplog.OpLogCorruptException;
import io.hypersync.leader.oplog.OpLogFailedException;
import io.hypersync.leader.oplog.OpLogListener;
import io.hypersync.leader.oplog.OpLogOptions;
import io.hypersync.leader.oplog.RecoveryListener.Verdict;
import io.hypersync.leader.oplog.chronicle.ChronicleOpLog;
import io.hypersync.leader.oplog.chronicle.ConversionMark;
import io.hypersync.leader.oplog.chronicle.LogCut;
import io.hypersync.leader.recovery.ReplayException;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.OpId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.log.LogEntryCodec;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.WriteMode;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.FsStateMachine;
import io.hypersync.model.state.Outcome;
import io.hypersync.model.state.Stamp;
import io.hypersync.model.trie.RootVersion;
import io.hypersync.runtime.file.DurableFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a conversion keeps and changes, and what an interrupted one leaves. */
@Tag("slow")
class LogConversionTest {
  private static final int ENTRIES = 300;
  private static final OpLogOptions OLD =
      OpLogOptions.DEFAULT.withSegmentBytes(256 << 10).withRoots(RootVersion.V1);

  @TempDir Path state;

  private final ChunkStore chunks = new InMemoryChunkStore();
  private List<LogEntry> written = new ArrayList<>();

  @BeforeEach
  void aLogOfVersion1() throws IOException {
    written = history(RootVersion.V1);
    write(written);
  }

  @Test
  void theEntriesAreTheSameWithRootsOfTheLatestVersion() throws IOException {
    Converted converted = convert();
    assertEquals(ENTRIES, converted.entries());
    assertEquals(state.resolve("oplog.v1"), converted.kept());
    assertConverted();
    assertEquals(written.getLast().root(), read("oplog.v1").getLast().root());
    assertEquals(RootVersion.V1, ChronicleOpLog.rootVersion(state.resolve("oplog.v1")));
    try (ChronicleOpLog log = open(OpLogOptions.DEFAULT.withSegmentBytes(256 << 10))) {
      assertEquals(ENTRIES, log.durableIndex());
      log.append(ENTRIES + 1, new byte[] {1}, false);
    }
  }

  @ParameterizedTest
  @EnumSource
  void anInterruptedConversionLeavesOneLogAndIsFinishedByTheNext(Step step) throws IOException {
    interruptAt(step);
    boolean isUnfinished = step != Step.WRITTEN && step != Step.DONE;
    assertEquals(isUnfinished, LogConversion.isUnfinished(state));
    assertEquals(isUnfinished, Files.exists(state.resolve("cut.unfinished")));
    switch (step) {
      case WRITTEN, MARKED -> assertEquals(hex(written), hex(read("oplog")));
      case OLD_KEPT -> {
        assertFalse(Files.exists(state.resolve("oplog")));
        assertEquals(ENTRIES, read("oplog.v2").size());
      }
      case REPLACED, DONE -> assertEquals(hex(history(RootVersion.V2)), hex(read("oplog")));
    }
    if (step == Step.DONE) {
      IllegalStateException refused = assertThrows(IllegalStateException.class, this::convert);
      assertTrue(refused.getMessage().contains("have version 2 already"), refused::getMessage);
    } else {
      assertEquals(ENTRIES, convert().entries());
    }
    assertConverted();
  }

  /** What an earlier release has appended after an interruption must not be lost. */
  @Test
  void aConversionThatHasNotPutTheLogAsideBeginsAnew() throws IOException {
    Path stale = state.resolve("oplog.v2/segment-0000000000000001");
    Files.createDirectories(stale);
    Files.writeString(stale.resolve("19700101F.cq4"), "no log");
    assertEquals(ENTRIES, convert().entries());
    assertConverted();
  }

  /**
   * Leaders, and cuts, of releases without conversion refuse a mark of which they can read no line:
   * neither a number alone nor this first line.
   */
  @Test
  void theMarkIsNoneOfACut() throws IOException {
    ConversionMark.write(state);
    List<String> lines = Files.readAllLines(state.resolve("cut.unfinished"));
    assertTrue(lines.size() > 1, lines::toString);
    assertNotEquals("hypersync cut 2", lines.getFirst());
    IOException refused = assertThrows(IOException.class, () -> LogCut.unfinished(state));
    assertTrue(refused.getMessage().contains("./hypersync convert"), refused::getMessage);
    ConversionMark.remove(state);
    assertEquals(Optional.empty(), LogCut.unfinished(state));
  }

  /** The roots of the entries that are left cannot be computed without those that are not. */
  @Test
  void aTrimmedLogIsRefused() throws IOException {
    try (ChronicleOpLog log = open(OLD)) {
      assertEquals(ENTRIES + 1, log.trim(ENTRIES));
    }
    expectRefused("begins at entry " + (ENTRIES + 1));
    assertFalse(Files.exists(state.resolve("oplog.v2")));
  }

  @Test
  void theMarkOfACutIsNotRemoved() throws IOException {
    Path mark = Files.writeString(state.resolve("cut.unfinished"), "7\n");
    assertFalse(ConversionMark.isThere(state));
    ConversionMark.remove(state);
    assertTrue(Files.exists(mark));
  }

  @Test
  void whichLogIsTheRightOneIsNotGuessed() throws IOException {
    Files.createDirectory(state.resolve("oplog.v1"));
    expectRefused("is in the way");
    assertFalse(LogConversion.isUnfinished(state));
    Files.createDirectory(state.resolve("oplog.v2"));
    expectRefused("a leader was started in the middle");
    assertTrue(LogConversion.isUnfinished(state));
    assertEquals(hex(written), hex(read("oplog")), "nothing was changed");
  }

  /** A leader that finds no log would begin one, and hide what was acknowledged. */
  @ParameterizedTest
  @ValueSource(strings = {"", "oplog"})
  void aLogThatWasBegunInTheMiddleHidesNothing(String begun) throws IOException {
    interruptAt(Step.OLD_KEPT);
    Files.delete(state.resolve("cut.unfinished")); // as if there had been no mark
    if (!begun.isEmpty()) {
      Files.createDirectory(state.resolve(begun));
      expectRefused("a leader was started in the middle");
      assertTrue(LogConversion.isUnfinished(state));
      Files.delete(state.resolve(begun));
    }
    assertTrue(LogConversion.isUnfinished(state));
    assertEquals(ENTRIES, convert().entries());
    assertConverted();
  }

  @Test
  void onlyOneOfBothLogsIsNotEnough() throws IOException {
    interruptAt(Step.OLD_KEPT);
    Path kept = state.resolve("oplog.v1");
    Path elsewhere = state.resolve("elsewhere");
    Files.move(kept, elsewhere);
    expectRefused("may not be complete");
    assertTrue(LogConversion.isUnfinished(state));
    Files.move(elsewhere, kept);
    DurableFiles.deleteTree(state.resolve("oplog.v2"));
    expectRefused("rename that to");
    assertTrue(LogConversion.isUnfinished(state));
    Files.move(kept, state.resolve("oplog"));
    assertEquals(ENTRIES, convert().entries());
    assertConverted();
  }

  @ParameterizedTest
  @EnumSource(names = {"OLD_KEPT", "REPLACED"})
  void aConvertedLogThatIsDamagedMeanwhileIsNotTaken(Step step) throws IOException {
    interruptAt(step);
    Path converted = state.resolve(step == Step.OLD_KEPT ? "oplog.v2" : "oplog");
    damageHeader(converted);
    expectRefused("oplog.v1 to " + state.resolve("oplog"));
    assertTrue(LogConversion.isUnfinished(state));
    Files.move(converted, state.resolve("elsewhere"));
    Files.move(state.resolve("oplog.v1"), state.resolve("oplog"));
    assertEquals(ENTRIES, convert().entries());
    assertConverted();
  }

  @Test
  void theOldLogMayBeDeletedBeforeTheLastStep() throws IOException {
    interruptAt(Step.REPLACED);
    DurableFiles.deleteTree(state.resolve("oplog.v1"));
    assertEquals(ENTRIES, convert().entries());
    assertConverted();
  }

  @Test
  void aLogWithADamagedHeaderIsNotSaidToBeConverted() throws IOException {
    damageHeader(state.resolve("oplog"));
    OpLogCorruptException refused = assertThrows(OpLogCorruptException.class, this::convert);
    assertTrue(refused.getMessage().contains("header is damaged"), refused::getMessage);
    assertFalse(Files.exists(state.resolve("oplog.v2")));
  }

  @Test
  void aLogWithAWrongRootIsNotConverted() throws IOException {
    written.set(41, withRoot(written.get(41), new Hash(6, 6, 6, 6)));
    DurableFiles.deleteTree(state.resolve("oplog"));
    write(written);
    ReplayException refused = assertThrows(ReplayException.class, this::convert);
    assertTrue(refused.getMessage().contains("42"), refused::getMessage);
    assertFalse(Files.exists(state.resolve("oplog.v2")));
    assertEquals(hex(written), hex(read("oplog")));
  }

  @Test
  void aLogWithoutEntriesIsConverted() throws IOException {
    DurableFiles.deleteTree(state.resolve("oplog"));
    write(List.of());
    assertEquals(0, convert().entries());
    assertEquals(List.of(), read("oplog"));
    assertEquals(RootVersion.V2, ChronicleOpLog.rootVersion(state.resolve("oplog")));
  }

  private static final class Interrupted extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  private void interruptAt(Step step) {
    assertThrows(
        Interrupted.class,
        () ->
            LogConversion.convert(
                state,
                chunks,
                _ -> {},
                reached -> {
                  if (reached == step) {
                    throw new Interrupted();
                  }
                }));
  }

  private void expectRefused(String message) {
    IllegalStateException refused = assertThrows(IllegalStateException.class, this::convert);
    assertTrue(refused.getMessage().contains(message), refused::getMessage);
  }

  /** Makes the header of the newest segment unreadable. */
  private static void damageHeader(Path log) throws IOException {
    Path newest;
    try (Stream<Path> segments = Files.list(log)) {
      newest =
          segments
              .filter(segment -> segment.getFileName().toString().startsWith("segment-"))
              .max(Comparator.naturalOrder())
              .orElseThrow();
    }
    Path file = newest.resolve("19700101F.cq4");
    byte[] bytes = Files.readAllBytes(file);
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] ^= 1;
    }
    Files.write(file, bytes);
  }

  private Converted convert() throws IOException {
    return LogConversion.convert(state, chunks, _ -> {}, _ -> {});
  }

  private void assertConverted() throws IOException {
    List<LogEntry> expected = history(RootVersion.V2);
    assertEquals(hex(expected), hex(read("oplog")));
    assertNotEquals(hex(expected), hex(written));
    assertEquals(RootVersion.V2, ChronicleOpLog.rootVersion(state.resolve("oplog")));
    assertFalse(LogConversion.isUnfinished(state));
    assertFalse(Files.exists(state.resolve("oplog.v2")));
  }

  private void write(List<LogEntry> entries) throws IOException {
    try (ChronicleOpLog log = open(OLD)) {
      for (LogEntry entry : entries) {
        log.append(entry.index(), LogEntryCodec.encode(entry), false);
      }
    }
  }

  private ChronicleOpLog open(OpLogOptions options) throws IOException {
    return ChronicleOpLog.open(
        state.resolve("oplog"), options, () -> {}, (_, _) -> Verdict.KEEP, new Deaf());
  }

  private List<LogEntry> read(String log) throws IOException {
    List<LogEntry> entries = new ArrayList<>();
    ChronicleOpLog.read(
        state.resolve(log),
        (_, payload) -> {
          try {
            entries.add(LogEntryCodec.decode(payload));
          } catch (DecodeException e) {
            throw new AssertionError(e);
          }
          return Verdict.KEEP;
        });
    return entries;
  }

  /** The same ops at the same times, hashed in this version. */
  private static List<LogEntry> history(RootVersion version) {
    List<LogEntry> entries = new ArrayList<>();
    FsState state = FsState.genesis(version);
    NodeId file = LogEntry.NO_NODE;
    for (int i = 1; i <= ENTRIES; i++) {
      NodeId fresh = new NodeId(0x1234_0000_0000_0000L + i, 7L * i);
      byte[] bytes = new byte[0];
      FsOp op;
      switch (i % 3) {
        case 1 -> {
          op = new FsOp.CreateFile(FsState.ROOT, Name.of("file " + i), 0644, i, 0);
          file = fresh;
        }
        case 2 -> op = new FsOp.MakeDir(FsState.ROOT, Name.of("dir " + i), 0755, 0, i);
        default -> {
          Chunk chunk = Chunk.of(("content " + i).getBytes(StandardCharsets.UTF_8));
          bytes = chunk.bytes();
          op = new FsOp.Write(file, WriteMode.PWRITE, 100L * i, List.of(chunk.ref()), false);
        }
      }
      Outcome outcome = FsStateMachine.apply(state, op, new Stamp(1_000L + i, fresh));
      state = ((Outcome.Applied) outcome).state();
      entries.add(
          new LogEntry(
              i,
              new OpId(3, i),
              1_000L + i,
              new IntentId(new ClientId(1, 2), i),
              new WorkerId("w" + i % 2),
              i % 5 == 0 ? "agent" : "",
              op,
              i % 3 == 0 ? LogEntry.NO_NODE : fresh,
              state.root(),
              i % 7 == 0 ? new byte[] {1, 2, 3} : new byte[0],
              bytes));
    }
    return entries;
  }

  private static LogEntry withRoot(LogEntry entry, Hash root) {
    return new LogEntry(
        entry.index(),
        entry.opId(),
        entry.committedAtNs(),
        entry.intent(),
        entry.origin(),
        entry.agent(),
        entry.op(),
        entry.createdNode(),
        root,
        entry.hazard(),
        entry.inlinePayload());
  }

  private static List<String> hex(List<LogEntry> entries) {
    return entries.stream()
        .map(entry -> HexFormat.of().formatHex(LogEntryCodec.encode(entry)))
        .toList();
  }

  private static final class Deaf implements OpLogListener {
    @Override
    public void onDurable(CommittedBatch batch) {
      // Nothing to do: closing the log waits for durability.
    }

    @Override
    public void onFailure(OpLogFailedException failure) {
      throw failure;
    }
  }
}

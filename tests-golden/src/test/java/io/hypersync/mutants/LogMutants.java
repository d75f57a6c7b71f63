package io.hypersync.mutants;

import static io.hypersync.mutants.Mutant.answers;
import static io.hypersync.mutants.Mutant.callAnswers;
import static io.hypersync.mutants.Mutant.replaces;
import static io.hypersync.mutants.Mutant.skips;

import java.util.List;
import java.util.stream.Stream;

/**
 * Mutants of the op log, for {@code LogPromises}. The simulator cannot detect them, because its log
 * has a writer of its own.
 */
final class LogMutants {
  private static final String PACKAGE = "leader.oplog.chronicle.";
  private static final String WRITER = PACKAGE + "BatchWriter";
  private static final String APPENDER = PACKAGE + "SegmentAppender";
  private static final String PREPARER = PACKAGE + "SegmentPreparer";
  private static final String RECOVERY = PACKAGE + "LogRecovery";
  private static final String TRIM = PACKAGE + "LogTrim";
  private static final String LOG = PACKAGE + "ChronicleOpLog";

  private static final List<Mutant> WRITES =
      List.of(
          skips("entries are durable unwritten", WRITER, "commit", "SegmentAppender.sync"),
          skips("entries do not wait for chunks", WRITER, "commit", "ParallelChunkSync.await"),
          skips("chunks are never synced", WRITER, "commit", "ParallelChunkSync.begin"),
          skips("nobody is told of durability", WRITER, "commit", "OpLogListener.onDurable"),
          callAnswers("a batch has no limit", WRITER, "gather", "OpLogOptions.batchMaxOps", 1000),
          answers("a failed log may be written", WRITER, "isUsable", 1),
          skips("nobody is told of a failure", WRITER, "fail", "OpLogListener.onFailure"),
          skips("a new segment cannot be read", WRITER, "roll", "SegmentCatalog.add"),
          skips("full segments are not put away", WRITER, "roll", "Consumer.accept"),
          skips("a close writes no watermark", WRITER, "close", "BatchWriter.writeWatermarkAtEnd"),
          skips(
              "an idle log writes no watermark", WRITER, "writeWatermark", "SegmentAppender.write"),
          skips("idleness is never looked for", WRITER, "commit", "IdleWatermark.committed"));

  private static final List<Mutant> SEGMENTS =
      List.of(
          skips("a batch begins behind the last one", APPENDER, "sync", "SegmentAppender.fillPage"),
          skips("what is collected is not written", APPENDER, "write", "SegmentWrite.write"),
          answers("room is not given back", APPENDER, "returned", 0L),
          answers("more room comes back than there was", APPENDER, "returned", 1L << 40),
          skips("a segment does not get its name", APPENDER, "publish", "Files.move"),
          callAnswers("segments do not grow", PREPARER, "prepareSpare", "Math.min", 262_144L),
          skips("what nobody takes stays", PREPARER, "close", "SegmentAppender.discard"),
          skips("full segments keep their room", PREPARER, "putAway", "SyncedFileOps.shrink"),
          answers("freed room is not noticed", PREPARER, "freed", null));

  private static final List<Mutant> LOGS =
      List.of(
          skips("a failed log takes entries", LOG, "append", "ChronicleOpLog.requireUsable"),
          skips("carried entries rest on nothing", LOG, "open", "ChunkSync.sync"),
          callAnswers("what is not durable is read", LOG, "read", "Objects.checkIndex", 0L),
          skips("void segments pile up", LOG, "open", "ChronicleOpLog.tidy"),
          skips("leftovers stay", LOG, "open", "ChronicleOpLog.deleteUnpublished"),
          skips("a close forgets the spare segment", LOG, "close", "SegmentPreparer.close"),
          skips("a close forgets the writer", LOG, "close", "BatchWriter.close"));

  private static final List<Mutant> STARTS =
      List.of(
          skips("a log with a gap is taken", RECOVERY, "recover", "LogRecovery.requireBegin"),
          skips("a log that ends early is begun", RECOVERY, "recover", "LogRecovery.requireEnd"));

  private static final List<Mutant> TRIMS =
      List.of(
          replaces("one segment too many is trimmed", TRIM, "before", "Long.compare", "oneMore"),
          callAnswers(
              "all segments are trimmed", TRIM, "before", "LogSegmentFile.sequence", 1L << 60),
          replaces(
              "a segment is deleted unwithdrawn",
              TRIM,
              "withdraw",
              "SegmentLayout.spare",
              "publishedSegment"),
          replaces("the newest is trimmed first", TRIM, "before", "List.sort", "sortBackwards"),
          skips("trimmed segments are kept", TRIM, "trim", "TreeDeletion.delete"),
          skips("what was trimmed is looked for", TRIM, "trim", "SegmentCatalog.remove"),
          callAnswers(
              "what is not durable is trimmed",
              LOG,
              "trim",
              "ChronicleOpLog.durableIndex",
              1L << 60));

  static final List<Mutant> ALL =
      Stream.of(WRITES, SEGMENTS, LOGS, STARTS, TRIMS).flatMap(List::stream).toList();

  private LogMutants() {}
}

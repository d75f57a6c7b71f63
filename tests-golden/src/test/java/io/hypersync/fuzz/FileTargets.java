package io.hypersync.fuzz;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.hypersync.chunkstore.InMemoryChunkStore;
import io.hypersync.cli.trace.TraceException;
import io.hypersync.cli.trace.TraceReader;
import io.hypersync.cli.trace.TraceReplay;
import io.hypersync.leader.oplog.OpLogCorruptException;
import io.hypersync.leader.oplog.RecoveryListener.Verdict;
import io.hypersync.leader.oplog.chronicle.ChronicleOpLog;
import io.hypersync.trace.ForgedTrace;
import io.hypersync.trace.TraceHistory;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;
import org.slf4j.LoggerFactory;

/** Files: segments of the log, and traces. */
final class FileTargets {
  private static final int RECORD_MAGIC = 0x48534f52; // "HSOR"
  private static final int RECORD_HEADER_BYTES = 72;
  private static final int LENGTH_AT = 8;
  private static final int CRC_AT = 12;
  private static final int INDEX_AT = 16;

  private FileTargets() {}

  static List<FuzzTarget> all(Path log) throws IOException {
    // Each cut-off log end is logged as a warning, thousands of times here.
    ((Logger) LoggerFactory.getLogger("io.hypersync.leader.oplog")).setLevel(Level.ERROR);
    Path segment = Files.createDirectories(log.resolve("segment-0000000000000001"));
    byte[] trace = TraceHistory.of(1, 20).trace();
    byte[] trimmed = TraceHistory.trimmed(2, 145, 135);
    return List.of(
        FuzzTarget.of(
                "log-segment",
                OpLogCorruptException.class,
                List.of(),
                input -> segment(log, segment.resolve("19700101F.cq4"), input))
            .repairedBy(FileTargets::withItsChecksums),
        FuzzTarget.of("trace", TraceException.class, List.of(trace, trimmed), FileTargets::trace)
            .repairedBy((damaged, _) -> ForgedTrace.repaired(damaged))
            .allocating(32L << 20));
  }

  private static boolean segment(Path log, Path file, byte[] input) throws IOException {
    Files.write(file, input);
    ChronicleOpLog.read(log, (_, _) -> Verdict.KEEP);
    return true;
  }

  private static boolean trace(byte[] input) throws IOException {
    return TraceReplay.replay(
                new TraceReader(new ByteArrayInputStream(input)), new InMemoryChunkStore(), _ -> {})
            .mismatch()
        == null;
  }

  /** Recomputes the CRC32C of every record that is complete by its length. */
  private static byte[] withItsChecksums(byte[] damaged, Random random) {
    ByteBuffer file = ByteBuffer.wrap(damaged);
    for (int at = 0; at + RECORD_HEADER_BYTES <= damaged.length; at += Integer.BYTES) {
      long length = RECORD_HEADER_BYTES + (long) file.getInt(at + LENGTH_AT);
      if (file.getInt(at) == RECORD_MAGIC
          && length >= RECORD_HEADER_BYTES
          && length <= damaged.length - at) {
        CRC32C crc = new CRC32C();
        crc.update(damaged, at, CRC_AT);
        crc.update(damaged, at + INDEX_AT, (int) length - INDEX_AT);
        file.putInt(at + CRC_AT, (int) crc.getValue());
      }
    }
    return damaged;
  }
}

package io.hypersync.leader.standby;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.leader.daemon.LogTail;
import io.hypersync.leader.oplog.RecoveryListener.Verdict;
import io.hypersync.leader.oplog.chronicle.ChronicleOpLog;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.hash.Blake3;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.log.LogEntryCodec;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.runtime.file.DurableFiles;
import io.hypersync.runtime.log.LogEvent;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The entries of a deposed leader that the leader after it does not have, in {@code left-behind} of
 * the state directory. Nothing reads them but people, and nothing removes them.
 *
 * <pre>
 * left-behind/term-3-entries-104-110/
 *   entries.jsonl      a line for each, with the keys of docs/json.md and "chunks"
 *   chunks/HASH        the content that they have brought, as far as it is here
 * left-behind/log-1/   a whole log, if it is not known where the two have parted
 * </pre>
 */
public final class LeftBehind {
  private static final Logger LOG = LoggerFactory.getLogger(LeftBehind.class);
  private static final String FOLDER = "left-behind";
  private static final String UNFINISHED = "unfinished";
  private static final Set<StandardOpenOption> NEW =
      Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);

  private LeftBehind() {}

  /**
   * The folders of what was left behind, oldest names first; empty if there are none.
   *
   * @throws IOException if they cannot be listed
   */
  public static List<Path> folders(Path stateDir) throws IOException {
    Path folder = stateDir.resolve(FOLDER);
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> all = Files.list(folder)) {
      return all.filter(each -> !each.endsWith(UNFINISHED)).sorted().toList();
    }
  }

  /**
   * Keeps the end of a log, durably; the whole folder is there, or nothing of it.
   *
   * @param first the first entry that is kept
   * @param term in which it was committed
   */
  static void keep(Path stateDir, Path log, long term, long first, ChunkStore chunks)
      throws IOException {
    Path folder = stateDir.resolve(FOLDER);
    DurableFiles.createDirectories(folder, DurableFiles.OWNER_ONLY_DIRECTORY);
    Path unfinished = folder.resolve(UNFINISHED);
    if (Files.exists(unfinished)) {
      DurableFiles.deleteTree(unfinished);
    }
    Path kept = unfinished.resolve("chunks");
    DurableFiles.createDirectories(unfinished, DurableFiles.OWNER_ONLY_DIRECTORY);
    DurableFiles.createDirectories(kept, DurableFiles.OWNER_ONLY_DIRECTORY);
    long[] last = {first};
    try (FileChannel file =
            FileChannel.open(unfinished.resolve("entries.jsonl"), NEW, DurableFiles.OWNER_ONLY);
        OutputStream lines = Channels.newOutputStream(file)) {
      ChronicleOpLog.read(
          log,
          (index, payload) -> {
            if (index >= first) {
              last[0] = index;
              write(lines, kept, payload, chunks);
            }
            return Verdict.KEEP;
          });
      file.force(true);
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    DurableFiles.syncDirectory(kept);
    DurableFiles.syncDirectory(unfinished);
    Path named = folder.resolve("term-" + term + "-entries-" + first + "-" + last[0]);
    if (Files.exists(named)) {
      DurableFiles.deleteTree(unfinished); // it was written before a crash
    } else {
      Files.move(unfinished, named, StandardCopyOption.ATOMIC_MOVE);
    }
    DurableFiles.syncDirectory(folder);
    LOG.warn(
        LogEvent.LEFT_BEHIND.marker(),
        "entries {} to {}, committed here in term {}, are not in the log of the leader that is"
            + " followed: they are kept in {}",
        first,
        last[0],
        term,
        named);
  }

  private static void write(OutputStream lines, Path kept, byte[] payload, ChunkStore chunks) {
    try {
      LogEntry entry = LogEntryCodec.decode(payload);
      ObjectNode line = LogTail.entry(entry);
      ArrayNode content = line.putArray("chunks");
      for (ChunkRef chunk : entry.op().chunks()) {
        byte[] bytes = bytes(entry, chunk, chunks);
        content
            .addObject()
            .put("hash", chunk.hash().toString())
            .put("length", chunk.length())
            .put("kept", bytes.length > 0);
        Path file = kept.resolve(chunk.hash().toString());
        if (bytes.length > 0 && !Files.exists(file)) {
          try (FileChannel out = FileChannel.open(file, NEW, DurableFiles.OWNER_ONLY)) {
            ByteBuffer rest = ByteBuffer.wrap(bytes);
            while (rest.hasRemaining()) {
              var _ = out.write(rest);
            }
            out.force(true);
          }
        }
      }
      lines.write((line + "\n").getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (DecodeException e) {
      throw new UncheckedIOException(new IOException("an entry that makes no sense", e));
    }
  }

  /** The content of a chunk, from the entry itself or the store; empty if it is not here. */
  private static byte[] bytes(LogEntry entry, ChunkRef chunk, ChunkStore chunks) {
    byte[] inline = entry.inlinePayload();
    if (inline.length == chunk.length() && Blake3.hash(inline).equals(chunk.hash())) {
      return inline;
    }
    byte[] stored = chunk.length() == 0 ? null : chunks.getVerified(chunk.hash());
    return stored == null ? new byte[0] : stored;
  }

  /** Keeps a whole log, because it is not known where the two have parted. */
  static void keepWhole(Path stateDir, Path log) throws IOException {
    Path folder = stateDir.resolve(FOLDER);
    DurableFiles.createDirectories(folder, DurableFiles.OWNER_ONLY_DIRECTORY);
    int number = 1;
    while (Files.exists(folder.resolve("log-" + number))) {
      number++;
    }
    Path named = folder.resolve("log-" + number);
    Files.move(log, named, StandardCopyOption.ATOMIC_MOVE);
    DurableFiles.syncDirectory(folder);
    DurableFiles.syncDirectory(stateDir);
    LOG.warn(
        "it is not known what of the log that was led here is not in that of the leader which is"
            + " followed: it is kept in {}",
        named);
  }
}

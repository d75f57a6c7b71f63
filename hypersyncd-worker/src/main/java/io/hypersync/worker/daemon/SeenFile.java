package io.hypersync.worker.daemon;

import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.runtime.file.DurableFiles;
import io.hypersync.runtime.file.FileProblems;
import io.hypersync.wire.message.SeenState;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file {@code seen} in a worker's state directory.
 *
 * <pre>
 * hypersync-seen: 2
 * workspace: the WorkspaceID
 * lineage: 16 hexadecimal digits
 * term: 3                                not in version 1, which is read as term 0
 * index: 41372
 * root: 64 hexadecimal digits
 * </pre>
 *
 * <p>Written once a second if anything has changed, without a sync, and with one when the worker
 * ends, or the leader is of another lineage or term: after a power failure it may be some seconds
 * old, or gone, and then less is known. A file that is damaged, or of another workspace, is none.
 */
final class SeenFile {
  private static final Logger LOG = LoggerFactory.getLogger(SeenFile.class);
  private static final String NAME = "seen";
  private static final int MAX_BYTES = 1_024;
  private static final int HEX = 16;
  private static final Set<StandardOpenOption> NEW =
      Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
  private static final List<String> KEYS =
      List.of("hypersync-seen: ", "workspace: ", "lineage: ", "term: ", "index: ", "root: ");
  private static final int TERM = KEYS.indexOf("term: ");

  private final Path file;
  private final WorkspaceId workspace;
  private SeenState written = SeenState.NONE;
  private boolean failed;

  SeenFile(Path stateDir, WorkspaceId workspace) {
    this.file = stateDir.resolve(NAME);
    this.workspace = workspace;
  }

  /** What an earlier run has written. */
  synchronized SeenState read() {
    try (InputStream in = Files.newInputStream(file)) {
      SeenState read =
          parse(new String(in.readNBytes(MAX_BYTES), StandardCharsets.US_ASCII), workspace);
      if (read.index() == 0) {
        LOG.warn("{} is damaged, or of another workspace; it begins anew", file);
      }
      written = read;
      return read;
    } catch (NoSuchFileException first) {
      return SeenState.NONE;
    } catch (IOException e) {
      LOG.warn("cannot read {}: {}", file, FileProblems.describe(e));
      return SeenState.NONE;
    }
  }

  /**
   * Writes it if it is another one; a failure is logged once.
   *
   * @param last whether it is the last time, so that it is synced
   */
  synchronized void write(SeenState seen, boolean last) {
    if (seen.index() == 0 || (seen.equals(written) && !last)) {
      return;
    }
    boolean isNewTerm = seen.term() != written.term() || seen.lineage() != written.lineage();
    try {
      if (last || isNewTerm) {
        DurableFiles.replace(
            file, text(seen, workspace), PosixFilePermissions.fromString("rw-------"));
      } else {
        Path fresh = file.resolveSibling(NAME + ".new");
        Files.deleteIfExists(fresh); // of a run that was killed
        try (FileChannel channel = FileChannel.open(fresh, NEW, DurableFiles.OWNER_ONLY)) {
          ByteBuffer text = StandardCharsets.US_ASCII.encode(text(seen, workspace));
          while (text.hasRemaining()) {
            var _ = channel.write(text);
          }
        }
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
      }
      written = seen;
      failed = false;
    } catch (IOException e) {
      if (!failed) {
        LOG.warn("cannot write {}: {}", file, FileProblems.describe(e));
      }
      failed = true;
    }
  }

  static String text(SeenState seen, WorkspaceId workspace) {
    List<String> values =
        List.of(
            "2",
            workspace.toString(),
            HexFormat.of().toHexDigits(seen.lineage()),
            Long.toString(seen.term()),
            Long.toString(seen.index()),
            seen.root().toString());
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < KEYS.size(); i++) {
      text.append(KEYS.get(i)).append(values.get(i)).append('\n');
    }
    return text.toString();
  }

  static SeenState parse(String text, WorkspaceId workspace) {
    List<String> lines = new ArrayList<>(text.lines().toList());
    if (!lines.isEmpty() && lines.getFirst().equals(KEYS.getFirst() + "1")) {
      lines.set(0, KEYS.getFirst() + "2");
      lines.add(Math.min(TERM, lines.size()), KEYS.get(TERM) + "0");
    }
    if (lines.size() != KEYS.size() || !text.endsWith("\n")) {
      return SeenState.NONE;
    }
    List<String> values = new ArrayList<>();
    for (int i = 0; i < KEYS.size(); i++) {
      if (!lines.get(i).startsWith(KEYS.get(i))) {
        return SeenState.NONE;
      }
      values.add(lines.get(i).substring(KEYS.get(i).length()));
    }
    try {
      long term = Long.parseLong(values.get(TERM));
      long index = Long.parseLong(values.get(TERM + 1));
      Hash root = Hash.parse(values.getLast());
      return values.get(0).equals("2")
              && values.get(1).equals(workspace.toString())
              && term >= 0
              && index > 0
          ? new SeenState(Long.parseUnsignedLong(values.get(2), HEX), term, index, root)
          : SeenState.NONE;
    } catch (IllegalArgumentException e) {
      return SeenState.NONE;
    }
  }
}

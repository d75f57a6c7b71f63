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
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file {@code seen} in a worker's state directory.
 *
 * <pre>
 * hypersync-seen: 1
 * workspace: the WorkspaceID
 * lineage: 16 hexadecimal digits
 * index: 41372
 * root: 64 hexadecimal digits
 * </pre>
 *
 * <p>Written once a second if anything has changed, without a sync, and with one when the worker
 * ends: after a power failure it may be some seconds old, or gone, and then less is known. A file
 * that is damaged, or of another workspace, is none.
 */
final class SeenFile {
  private static final Logger LOG = LoggerFactory.getLogger(SeenFile.class);
  private static final String NAME = "seen";
  private static final int MAX_BYTES = 1_024;
  private static final int HEX = 16;
  private static final Set<StandardOpenOption> NEW =
      Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
  private static final List<String> KEYS =
      List.of("hypersync-seen: ", "workspace: ", "lineage: ", "index: ", "root: ");

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

  /** Writes it if it is another one; a failure is logged once. */
  synchronized void write(SeenState seen, boolean synced) {
    if (seen.index() == 0 || (seen.equals(written) && !synced)) {
      return;
    }
    try {
      if (synced) {
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
    return KEYS.get(0)
        + "1\n"
        + KEYS.get(1)
        + workspace
        + "\n"
        + KEYS.get(2)
        + HexFormat.of().toHexDigits(seen.lineage())
        + "\n"
        + KEYS.get(3)
        + seen.index()
        + "\n"
        + KEYS.get(4)
        + seen.root()
        + "\n";
  }

  static SeenState parse(String text, WorkspaceId workspace) {
    List<String> lines = text.lines().toList();
    if (lines.size() != KEYS.size() || !text.endsWith("\n")) {
      return SeenState.NONE;
    }
    for (int i = 0; i < KEYS.size(); i++) {
      if (!lines.get(i).startsWith(KEYS.get(i))) {
        return SeenState.NONE;
      }
    }
    try {
      long index = Long.parseLong(lines.get(3).substring(KEYS.get(3).length()));
      Hash root = Hash.parse(lines.get(4).substring(KEYS.get(4).length()));
      return lines.get(0).endsWith(" 1") && lines.get(1).endsWith(": " + workspace) && index > 0
          ? new SeenState(
              Long.parseUnsignedLong(lines.get(2).substring(KEYS.get(2).length()), HEX),
              index,
              root)
          : SeenState.NONE;
    } catch (IllegalArgumentException e) {
      return SeenState.NONE;
    }
  }
}

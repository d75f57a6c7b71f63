package io.hypersync.chunkstore.disk;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The segment files of one directory, by number. Keeps the most recently used ones open for
 * reading.
 */
final class ChunkSegmentFiles implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ChunkSegmentFiles.class);
  private static final String SUFFIX = ".chunks";
  private static final int MAX_OPEN = 64;

  private final Path directory;

  /** Files open for reading, the least recently used first. */
  private final Map<Integer, ChunkSegmentFile> open = new LinkedHashMap<>(MAX_OPEN, 0.75f, true);

  /**
   * The option for O_DIRECT, empty if it cannot be used; accessed only by the thread that appends.
   */
  private Optional<OpenOption> direct;

  private boolean closed;

  /** The segments of this directory, which is created if it does not exist. */
  ChunkSegmentFiles(Path directory) throws IOException {
    this.directory = Files.createDirectories(directory);
    long unit = Files.getFileStore(directory).getBlockSize();
    boolean fits = unit > 0 && SegmentRecord.BLOCK_BYTES % unit == 0;
    this.direct = fits ? DirectOption.find() : Optional.empty();
  }

  /**
   * The lengths of all segments in bytes, by segment number.
   *
   * @throws IOException if the directory cannot be read, or has a file with a malformed name
   */
  NavigableMap<Integer, Long> lengths() throws IOException {
    NavigableMap<Integer, Long> lengths = new TreeMap<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*" + SUFFIX)) {
      for (Path file : files) {
        String name = file.getFileName().toString();
        try {
          int segment = Integer.parseInt(name.substring(0, name.length() - SUFFIX.length()));
          lengths.put(segment, Files.size(file));
        } catch (NumberFormatException e) {
          throw new IOException(file + " is not the name of a segment", e);
        }
      }
    }
    return lengths;
  }

  /** Opens an existing segment for writing. */
  ChunkSegmentFile openForWriting(int segment) throws IOException {
    return new ChunkSegmentFile(path(segment), StandardOpenOption.WRITE);
  }

  /**
   * Opens a segment for writing; creates it if it does not exist, and makes its name durable.
   *
   * @throws IOException if that is not possible; {@link SyncFailed} if the directory cannot be
   *     synced
   */
  ChunkSegmentFile openOrCreate(int segment) throws IOException {
    if (!Files.exists(path(segment))) {
      Files.createFile(path(segment));
    }
    ChunkSegmentFile.syncDirectory(directory);
    return openForWriting(segment);
  }

  /**
   * Opens an existing segment for writing with {@code O_DIRECT}, past the page cache: offsets,
   * lengths and memory addresses must be multiples of {@link SegmentRecord#BLOCK_BYTES}.
   *
   * @return empty if the file system does not support that
   */
  Optional<ChunkSegmentFile> openPastTheCache(int segment) {
    if (direct.isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          new ChunkSegmentFile(path(segment), StandardOpenOption.WRITE, direct.get()));
    } catch (IOException | UncheckedIOException | UnsupportedOperationException e) {
      LOG.debug("chunks are written through the page cache", e);
      direct = Optional.empty();
      return Optional.empty();
    }
  }

  /** Reads from this offset of a segment until the buffer is full or the segment ends. */
  void read(int segment, ByteBuffer into, long offset) throws IOException {
    int start = into.position();
    while (true) {
      try {
        forReading(segment).read(into, offset);
        return;
      } catch (ClosedChannelException e) {
        requireOpen(); // otherwise another thread evicted it: reopen
        into.position(start);
      }
    }
  }

  /**
   * Deletes a segment, if it exists. Reads in progress either succeed or fail as if they had begun
   * afterwards, with {@link java.nio.file.NoSuchFileException}.
   *
   * @throws IOException if it cannot be deleted; it may be in the directory again after a loss of
   *     power in any case
   */
  synchronized void delete(int segment) throws IOException {
    requireOpen();
    // In one synchronized step, so that no read opens it again: that would keep its space in use.
    Files.deleteIfExists(path(segment));
    ChunkSegmentFile file = open.remove(segment);
    if (file != null) {
      file.close();
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    List<ChunkSegmentFile> all = List.copyOf(open.values());
    open.clear();
    all.forEach(ChunkSegmentFile::close);
  }

  private synchronized ChunkSegmentFile forReading(int segment) throws IOException {
    requireOpen();
    ChunkSegmentFile file = open.get(segment);
    if (file == null) {
      if (open.size() >= MAX_OPEN) {
        Iterator<ChunkSegmentFile> all = open.values().iterator();
        ChunkSegmentFile eldest = all.next();
        all.remove();
        eldest.close();
      }
      file = new ChunkSegmentFile(path(segment), StandardOpenOption.READ);
      open.put(segment, file);
    }
    return file;
  }

  private synchronized void requireOpen() {
    if (closed) {
      throw new IllegalStateException("the chunk store is closed");
    }
  }

  private Path path(int segment) {
    return directory.resolve(String.format(Locale.ROOT, "%010d%s", segment, SUFFIX));
  }
}

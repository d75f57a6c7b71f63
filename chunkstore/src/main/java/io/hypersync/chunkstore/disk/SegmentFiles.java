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

/** The segment files of one directory, by number; for reading, some are kept open. */
final class SegmentFiles implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SegmentFiles.class);
  private static final String SUFFIX = ".chunks";
  private static final int MAX_OPEN = 64;

  private final Path directory;

  /** The least recently used one first. */
  private final Map<Integer, SegmentFile> open = new LinkedHashMap<>(MAX_OPEN, 0.75f, true);

  /** How to open a segment past the page cache, if that can be done; of who appends. */
  private Optional<OpenOption> direct;

  private boolean closed;

  /** Those in a directory, which is created if it does not exist. */
  SegmentFiles(Path directory) throws IOException {
    this.directory = Files.createDirectories(directory);
    long unit = Files.getFileStore(directory).getBlockSize();
    boolean fits = unit > 0 && SegmentRecord.BLOCK_BYTES % unit == 0;
    this.direct = fits ? DirectOption.find() : Optional.empty();
  }

  /** The lengths of all segments, bytes. */
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

  /** A segment that is there, to write to. */
  SegmentFile openForWriting(int segment) throws IOException {
    return new SegmentFile(path(segment), StandardOpenOption.WRITE);
  }

  /**
   * To write to; it is created if it does not exist.
   *
   * @throws IOException if it cannot be, or {@link SyncFailed} if its name is not durable
   */
  SegmentFile openOrCreate(int segment) throws IOException {
    if (!Files.exists(path(segment))) {
      Files.createFile(path(segment));
    }
    SegmentFile.syncDirectory(directory);
    return openForWriting(segment);
  }

  /**
   * The same past the page cache ({@code O_DIRECT}): offsets, lengths and memory must be multiples
   * of {@link SegmentRecord#BLOCK_BYTES}.
   *
   * @return nothing if the filesystem cannot do that
   */
  Optional<SegmentFile> openPastTheCache(int segment) {
    if (direct.isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(new SegmentFile(path(segment), StandardOpenOption.WRITE, direct.get()));
    } catch (IOException | UncheckedIOException | UnsupportedOperationException e) {
      LOG.debug("chunks are written through the page cache", e);
      direct = Optional.empty();
      return Optional.empty();
    }
  }

  /** Fills the buffer from this offset of a segment on, as far as that goes. */
  void read(int segment, ByteBuffer into, long offset) throws IOException {
    int start = into.position();
    while (true) {
      try {
        forReading(segment).read(into, offset);
        return;
      } catch (ClosedChannelException e) {
        requireOpen(); // else it was closed because others were needed more
        into.position(start);
      }
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    List<SegmentFile> all = List.copyOf(open.values());
    open.clear();
    all.forEach(SegmentFile::close);
  }

  private synchronized SegmentFile forReading(int segment) throws IOException {
    requireOpen();
    SegmentFile file = open.get(segment);
    if (file == null) {
      if (open.size() >= MAX_OPEN) {
        Iterator<SegmentFile> all = open.values().iterator();
        SegmentFile eldest = all.next();
        all.remove();
        eldest.close();
      }
      file = new SegmentFile(path(segment), StandardOpenOption.READ);
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

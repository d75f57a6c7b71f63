package io.hypersync.chunkstore.disk;

import io.hypersync.chunkstore.Chunker;
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
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
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

  /** How much is read past the page cache at a time; a chunk of the largest size and its edges. */
  private static final int PAST_BYTES = Chunker.MAX_CHUNK_BYTES + 2 * SegmentRecord.BLOCK_BYTES;

  /**
   * The option for O_DIRECT, empty if it cannot be used; accessed only by the thread that appends.
   */
  private Optional<OpenOption> direct;

  /** Held by the one reader past the page cache. */
  private final ReentrantLock past = new ReentrantLock();

  /** The option for such reads, empty if they are not possible; guarded by {@link #past}. */
  private Optional<OpenOption> directReads;

  /** What they read into, aligned for O_DIRECT; null before the first one, guarded likewise. */
  private @Nullable ByteBuffer pastBuffer;

  private boolean closed;

  /** The segments of this directory, which is created if it does not exist. */
  ChunkSegmentFiles(Path directory) throws IOException {
    this.directory = Files.createDirectories(directory);
    long unit = Files.getFileStore(directory).getBlockSize();
    boolean fits = unit > 0 && SegmentRecord.BLOCK_BYTES % unit == 0;
    this.direct = fits ? DirectOption.find() : Optional.empty();
    this.directReads = direct;
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
    // A segment that was created and cannot be opened would be the newest one at the next start,
    // which repairs no other, while the one before is still being written.
    return ChunkSegmentFile.create(path(segment));
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
   * Like {@link #read}, but from the disk, past the page cache, where the file system can do that.
   * One thread at a time.
   */
  void readPastTheCache(int segment, ByteBuffer into, long offset) throws IOException {
    past.lock();
    try {
      requireOpen();
      if (directReads.isEmpty() || !readDirectly(directReads.get(), segment, into, offset)) {
        directReads = Optional.empty();
        read(segment, into, offset);
      }
    } finally {
      past.unlock();
    }
  }

  /**
   * Reads with {@code O_DIRECT}.
   *
   * @return false if the file system cannot do that; nothing is read then
   */
  private boolean readDirectly(OpenOption option, int segment, ByteBuffer into, long offset)
      throws IOException {
    int start = into.position();
    ByteBuffer blocks = pastBuffer();
    try (ChunkSegmentFile file =
        new ChunkSegmentFile(path(segment), StandardOpenOption.READ, option)) {
      while (into.hasRemaining()) {
        long from = offset + into.position() - start;
        int before = (int) (from % SegmentRecord.BLOCK_BYTES);
        int wanted = SegmentRecord.afterPadding(before + into.remaining());
        blocks.clear().limit(Math.min(wanted, blocks.capacity()));
        int read = file.readOnce(blocks, from - before);
        if (read <= before) {
          return true; // the segment ends here
        }
        blocks.flip().position(before);
        blocks.limit(Math.min(read, before + into.remaining()));
        into.put(blocks);
        if (read % SegmentRecord.BLOCK_BYTES != 0) {
          return true; // as here
        }
      }
      return true;
    } catch (UnsupportedOperationException e) {
      LOG.debug("chunks are read through the page cache", e);
    } catch (IOException e) {
      if (!isInvalid(e)) {
        throw e;
      }
      LOG.debug("chunks are read through the page cache", e);
    }
    into.position(start);
    return false;
  }

  /** EINVAL: the file system does not do {@code O_DIRECT}, or not with blocks of this size. */
  private static boolean isInvalid(IOException e) {
    return String.valueOf(e.getMessage()).contains("Invalid argument");
  }

  private ByteBuffer pastBuffer() {
    ByteBuffer buffer = pastBuffer;
    if (buffer == null) {
      buffer =
          ByteBuffer.allocateDirect(PAST_BYTES + SegmentRecord.BLOCK_BYTES)
              .alignedSlice(SegmentRecord.BLOCK_BYTES)
              .limit(PAST_BYTES)
              .slice();
      pastBuffer = buffer;
    }
    return buffer;
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

package io.hypersync.chunkstore.disk;

import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.model.errno.Errno;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** The segment files of one directory, by number; for reading, some are kept open. */
final class SegmentFiles implements AutoCloseable {
  private static final String SUFFIX = ".chunks";
  private static final int MAX_OPEN = 64;

  private final Path directory;

  /** The least recently used one first. */
  private final Map<Integer, SegmentFile> open = new LinkedHashMap<>(MAX_OPEN, 0.75f, true);

  private boolean closed;

  SegmentFiles(Path directory) throws IOException {
    this.directory = Files.createDirectories(directory);
    sync(directory.toAbsolutePath().getParent());
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

  /** To write to; it is created if it does not exist, and its name is durable then. */
  SegmentFile openOrCreate(int segment) throws IOException {
    SegmentFile file =
        new SegmentFile(path(segment), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    try {
      sync(directory);
      return file;
    } catch (IOException e) {
      closeQuietly(file);
      throw e;
    }
  }

  /** Fills the buffer from this offset of a segment on, as far as that goes. */
  void read(int segment, ByteBuffer into, long offset) throws IOException {
    while (true) {
      try {
        forReading(segment).read(into, offset);
        return;
      } catch (ClosedChannelException e) {
        requireOpen(); // else it was closed because others were needed more
      }
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    open.values().forEach(SegmentFiles::closeQuietly);
    open.clear();
  }

  /** Closes what nobody will read from or write to. */
  static void closeQuietly(SegmentFile file) {
    try {
      file.close();
    } catch (IOException e) {
      throw new ChunkStoreException(Errno.EIO, "cannot close a segment: " + e, e);
    }
  }

  private synchronized SegmentFile forReading(int segment) throws IOException {
    requireOpen();
    SegmentFile file = open.get(segment);
    if (file == null) {
      if (open.size() >= MAX_OPEN) {
        Iterator<SegmentFile> eldest = open.values().iterator();
        closeQuietly(eldest.next());
        eldest.remove();
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
    return directory.resolve("%010d%s".formatted(segment, SUFFIX));
  }

  private static void sync(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }
}

package io.hypersync.leader.oplog.chronicle;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Direct access to the log's files, past the log. */
final class Disk {
  private Disk() {}

  /** The published segments, oldest first. */
  static List<Path> segments(Path logDirectory) throws IOException {
    List<Path> found = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(logDirectory)) {
      for (Path entry : entries) {
        if (SegmentLayout.sequenceOf(entry) >= 0) {
          found.add(entry);
        }
      }
    }
    found.sort(null);
    return found;
  }

  /** The file of the newest segment. */
  static Path lastFile(Path logDirectory) throws IOException {
    return segments(logDirectory).getLast().resolve(SegmentLayout.CYCLE_FILE);
  }

  /** All valid entries of a segment file in file order, whatever lies between them. */
  static List<LogRecord> entries(Path file) throws IOException {
    List<LogRecord> found = new ArrayList<>();
    try (SegmentScanner scanner =
        new SegmentScanner(LogFiles.in(file).open(file), SegmentScanner.SEQUENTIAL_WINDOW_BYTES)) {
      LogRecord header = header(file);
      LogRecord record = scanner.entry(header.end(), header.segmentId());
      while (record != null) {
        found.add(record);
        record = scanner.entry(record.end(), header.segmentId());
      }
    }
    return found;
  }

  static LogRecord header(Path file) throws IOException {
    try (SegmentScanner scanner =
        new SegmentScanner(LogFiles.in(file).open(file), SegmentScanner.SEQUENTIAL_WINDOW_BYTES)) {
      @Nullable LogRecord header =
          scanner.header(
              SegmentLayout.sequenceOf(file.getParent()), SegmentLayout.FIRST_RECORD_BEFORE);
      if (header == null) {
        throw new AssertionError("no header in " + file);
      }
      return header;
    }
  }

  /** The entry with that index. */
  static LogRecord entry(Path file, long index) throws IOException {
    return entries(file).stream().filter(r -> r.index() == index).findFirst().orElseThrow();
  }

  static void write(Path file, long position, byte[] bytes) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.wrap(bytes), position);
    }
  }

  static byte[] read(Path file, long position, int length) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      ByteBuffer bytes = ByteBuffer.allocate(length);
      channel.read(bytes, position);
      return bytes.array();
    }
  }

  static void flipBit(Path file, long position, int bit) throws IOException {
    byte[] one = read(file, position, 1);
    one[0] ^= (byte) (1 << bit);
    write(file, position, one);
  }

  /** A copy of the directory as it is now: what a kill -9 at this moment would leave behind. */
  static Path copy(Path from, Path to) throws IOException {
    Files.createDirectories(to);
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(from)) {
      for (Path entry : entries) {
        try {
          copyShallow(entry, to.resolve(entry.getFileName()));
        } catch (NoSuchFileException gone) {
          if (!SegmentLayout.isUnpublished(entry)) { // the preparer may be writing a spare
            throw gone;
          }
        }
      }
    }
    return to;
  }

  private static void copyShallow(Path source, Path target) throws IOException {
    if (!Files.isDirectory(source)) {
      Files.copy(source, target);
      return;
    }
    Files.createDirectories(target);
    try (DirectoryStream<Path> files = Files.newDirectoryStream(source)) {
      for (Path file : files) {
        if (Files.isRegularFile(file)) {
          Files.copy(file, target.resolve(file.getFileName()));
        }
      }
    }
  }
}

package io.hypersync.leader.oplog.chronicle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Entries and failures are passed on completely and in order, and the thread ends. */
@Timeout(60)
class EntryReaderTest {
  private static final long SEGMENT = 0x1122334455667788L;
  private static final int PAYLOAD_BYTES = 100;
  private static final int ENTRIES = 30_000; // many more than are read ahead

  @Test
  void entriesComeInOrderWithTheirHashes() throws Exception {
    byte[] file = segment(ENTRIES);
    try (SegmentScanner scanner = scanner(new Stored(file, Long.MAX_VALUE));
        EntryReader reader = new EntryReader(scanner, 0, SEGMENT)) {
      Hash previous = Hash.ZERO;
      for (int i = 1; i <= ENTRIES; i++) {
        EntryReader.Entry entry = Objects.requireNonNull(reader.next());
        assertEquals(i, entry.record().index());
        assertEquals(previous, entry.record().previousHash(), "of entry " + i);
        previous = entry.hash();
      }
      assertNull(reader.next());
      assertNull(reader.next(), "it stays at the end");
    }
  }

  @Test
  void whatCannotBeReadFailsAfterTheEntriesBeforeIt() throws Exception {
    byte[] file = segment(ENTRIES);
    IOException broken = new IOException("broken disk");
    try (SegmentScanner scanner = scanner(new Stored(file, file.length / 2, broken));
        EntryReader reader = new EntryReader(scanner, 0, SEGMENT)) {
      int[] read = {0};
      IOException failure =
          assertThrows(
              IOException.class,
              () -> {
                while (reader.next() != null) {
                  read[0]++;
                }
              });
      assertSame(broken, failure.getCause());
      assertFalse(read[0] == 0 || read[0] > ENTRIES / 2, read[0] + " entries before it");
      assertThrows(IOException.class, reader::next, "it stays broken");
    }
  }

  @Test
  void aFaultOfOursIsThrownAsItIs() throws Exception {
    byte[] file = segment(ENTRIES);
    IllegalStateException fault = new IllegalStateException("a bug");
    LogFiles.Bytes faulty =
        new LogFiles.Bytes() {
          @Override
          public long size() {
            return file.length;
          }

          @Override
          public int read(ByteBuffer target, long position) {
            throw fault;
          }

          @Override
          public void close() {}
        };
    try (SegmentScanner scanner = new SegmentScanner(faulty, SegmentScanner.POINT_WINDOW_BYTES);
        EntryReader reader = new EntryReader(scanner, 0, SEGMENT)) {
      assertSame(fault, assertThrows(IllegalStateException.class, reader::next));
    }
  }

  @Test
  void closingEndsTheThreadWhileItWaitsForRoom() throws Exception {
    byte[] file = segment(ENTRIES);
    try (SegmentScanner scanner = scanner(new Stored(file, Long.MAX_VALUE))) {
      EntryReader reader = new EntryReader(scanner, 0, SEGMENT);
      assertEquals(1, Objects.requireNonNull(reader.next()).record().index());
      reader.close();
      assertEquals(0, readers(), "threads that read ahead");
      assertEquals(file.length, scanner.endOfData(0), "the scanner is free again");
    }
  }

  private static long readers() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(one -> one.getName().equals(EntryReader.THREAD_NAME))
        .count();
  }

  private static SegmentScanner scanner(Stored file) throws IOException {
    return new SegmentScanner(file, SegmentScanner.POINT_WINDOW_BYTES);
  }

  private static byte[] segment(int entries) {
    int bytes = RecordCodec.recordBytes(PAYLOAD_BYTES);
    byte[] file = new byte[entries * bytes];
    byte[] payload = new byte[PAYLOAD_BYTES];
    Arrays.fill(payload, (byte) 7);
    byte[] record = new byte[bytes];
    Hash previous = Hash.ZERO;
    for (int i = 0; i < entries; i++) {
      RecordCodec.encode(record, 0, RecordKind.ENTRY, i + 1L, 0, SEGMENT, previous, payload);
      previous = Blake3.hash(record);
      System.arraycopy(record, 0, file, i * bytes, bytes);
    }
    return file;
  }

  /** A file in memory that cannot be read from a given position on. */
  private record Stored(byte[] bytes, long brokenFrom, IOException failure)
      implements LogFiles.Bytes {
    Stored(byte[] bytes, long brokenFrom) {
      this(bytes, brokenFrom, new IOException());
    }

    @Override
    public long size() {
      return bytes.length;
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
      if (position + target.remaining() > brokenFrom) {
        throw failure;
      }
      int length = (int) Math.min(target.remaining(), bytes.length - position);
      if (length <= 0) {
        return -1;
      }
      target.put(bytes, (int) position, length);
      return length;
    }

    @Override
    public void close() {}
  }
}

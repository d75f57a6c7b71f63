package io.hypersync.chunkstore.disk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.hypersync.chunkstore.Chunk;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** Pins the format that is on users' disks: a change needs a new version. */
class SegmentRecordTest {
  private static final Chunk ABC = Chunk.of("abc".getBytes(StandardCharsets.US_ASCII));
  private static final int SEGMENT = 7;
  private static final int OFFSET = 4_096;

  @Test
  void isTheseBytes() {
    assertEquals(
        "48534331" // magic, version 1
            + "00000003" // length
            + "6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85" // hash
            + "d6f00cd9" // check
            + "616263", // abc
        HexFormat.of().formatHex(written().array()));
  }

  @Test
  void theIndexHoldsThese() {
    assertEquals(
        "00010000" + "00000002" + "0000002c",
        HexFormat.of().formatHex(new ChunkLocation(65_536, 2, 44).encoded()));
    assertEquals("00000003" + "00000100", HexFormat.of().formatHex(new Mark(3, 256).encoded()));
    assertEquals(
        new ChunkLocation(65_536, 2, 44),
        ChunkLocation.decode(new ChunkLocation(65_536, 2, 44).encoded()));
    assertEquals(new Mark(3, 256), Mark.decode(new Mark(3, 256).encoded()));
  }

  @Test
  void isReadWhereItWasWrittenAndNowhereElse() {
    assertEquals(
        new SegmentRecord(ABC.hash(), 3), SegmentRecord.readHeader(written(), SEGMENT, OFFSET));
    assertNull(SegmentRecord.readHeader(written(), SEGMENT + 1, OFFSET));
    assertNull(SegmentRecord.readHeader(written(), SEGMENT, OFFSET + 1));
  }

  @Test
  void noBitOfItsHeaderCanChange() {
    for (int bit = 0; bit < 8 * SegmentRecord.HEADER_BYTES; bit++) {
      ByteBuffer changed = written();
      changed.put(bit / 8, (byte) (changed.get(bit / 8) ^ 1 << bit % 8));
      assertNull(SegmentRecord.readHeader(changed, SEGMENT, OFFSET), "bit " + bit);
    }
  }

  private static ByteBuffer written() {
    ByteBuffer record = ByteBuffer.allocate(SegmentRecord.bytesOf(ABC));
    SegmentRecord.write(ABC, SEGMENT, OFFSET, record);
    return record.flip();
  }
}

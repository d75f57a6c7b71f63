package io.hypersync.worker.fuse.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.id.InodeNo;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class DirectoryBufferTest {
  private static final InodeNo INODE = new InodeNo(12);
  private static final FuseAttr ATTR =
      new FuseAttr(INODE, 0, 0, 0, 0, 0, 0100644, 1, 0, 0, 0, 4096);
  private static final FuseEntry ENTRY = new FuseEntry(INODE, 0, ATTR, 0, 0);

  @Test
  void rowsArePaddedToEightBytes() {
    DirectoryBuffer.Plain rows = new DirectoryBuffer.Plain(4096);
    assertTrue(rows.add(new InodeNo(11), 1, 4, name("a")));
    assertTrue(rows.add(INODE, 2, 8, name("eightchr")));
    assertEquals(
        hex(
            """
            0b00000000000000 # ino
            0100000000000000 # off
            01000000 # namelen
            04000000 # type: directory
            6100000000000000 # name and padding
            0c00000000000000 # ino
            0200000000000000 # off
            08000000 # namelen
            08000000 # type: file
            6569676874636872 # name, needs no padding
            """),
        AnnotatedHex.of(rows.bytes()));
  }

  @Test
  void plusRowsHaveTheEntryFirst() {
    DirectoryBuffer.Plus rows = new DirectoryBuffer.Plus(4096);
    assertTrue(rows.addNameOnly(InodeNo.ROOT, 1, 4, name(".")));
    assertTrue(rows.add(ENTRY, 2, name("f")));
    assertEquals(
        hex(
                "00".repeat(128)
                    + """
                 # no entry
                0100000000000000 # ino
                0100000000000000 # off
                01000000 # namelen
                04000000 # type
                2e00000000000000 # name
                """)
            + AnnotatedHex.of(FuseReplyEncoder.entry(ENTRY))
            + hex(
                """
                0c00000000000000 # ino
                0200000000000000 # off
                01000000 # namelen
                08000000 # type: from the mode
                6600000000000000 # name
                """),
        AnnotatedHex.of(rows.bytes()));
  }

  @Test
  void theLimitIsKeptToTheByte() {
    assertTrue(new DirectoryBuffer.Plain(32).add(InodeNo.ROOT, 1, 8, name("a")));
    assertFalse(new DirectoryBuffer.Plain(31).add(InodeNo.ROOT, 1, 8, name("a")));
    assertFalse(new DirectoryBuffer.Plain(0).add(InodeNo.ROOT, 1, 8, name("a")));
    assertTrue(new DirectoryBuffer.Plus(160).add(ENTRY, 1, name("a")));
    assertFalse(new DirectoryBuffer.Plus(159).add(ENTRY, 1, name("a")));
  }

  @Test
  void aRowThatDoesNotFitLeavesTheOthersAlone() {
    DirectoryBuffer.Plus rows = new DirectoryBuffer.Plus(160 + 159);
    assertTrue(rows.isEmpty());
    assertTrue(rows.add(ENTRY, 1, name("a")));
    String before = AnnotatedHex.of(rows.bytes());
    assertFalse(rows.add(ENTRY, 2, name("b")));
    assertEquals(before, AnnotatedHex.of(rows.bytes()));
    assertFalse(rows.isEmpty());
  }

  @Test
  void thousandsOfRowsFitWhereTheLimitIsLarge() {
    DirectoryBuffer.Plain rows = new DirectoryBuffer.Plain(1 << 20);
    int count = 0;
    while (rows.add(new InodeNo(count + 1), count + 1, 8, name("x".repeat(1 + count % 255)))) {
      count++;
    }
    assertTrue(count > 5_000, "only " + count);
    assertTrue(rows.bytes().remaining() > (1 << 20) - 288);
    assertTrue(rows.bytes().remaining() <= 1 << 20);
  }

  private static byte[] name(String name) {
    return name.getBytes(StandardCharsets.UTF_8);
  }

  private static String hex(String annotated) {
    return HexFormat.of().formatHex(AnnotatedHex.bytes(annotated));
  }
}

package io.hypersync.snapshot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.hash.Blake3;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Up to where chunks may have been collected is never taken for less than it is. */
class CollectedFileTest {
  @TempDir Path state;

  @Test
  void whatIsSaidStays() throws IOException {
    CollectedFile mark = open();
    assertEquals(0, mark.through());
    for (long index : new long[] {7, 8, 3, 900, 900, 1_000}) {
      mark.raise(index);
      assertEquals(mark.through(), open().through());
    }
    assertEquals(1_000, open().through());
    assertEquals(1_000, CollectedFile.read(state));
  }

  @Test
  void aStateDirectoryWithoutTheFileHasCollectedNothing() throws IOException {
    assertEquals(0, CollectedFile.read(state));
    CollectedFile.lower(state, 5);
    assertFalse(Files.exists(file()), "nothing to lower");
  }

  /** A full disk has no room for another file, and this one needs none. */
  @Test
  void itIsWrittenInPlace() throws IOException {
    CollectedFile mark = open();
    Object before = Files.getAttribute(file(), "unix:ino");
    for (int index = 1; index <= 5; index++) {
      mark.raise(index);
    }
    assertEquals(before, Files.getAttribute(file(), "unix:ino"));
    assertEquals(2 * CollectedSlots.SLOT_BYTES, Files.size(file()));
  }

  /** The other slot has the mark before, but nobody knows whether this one had a higher one. */
  @Test
  void aSlotThatCannotBeReadMayHaveBeenAsHighAsTheNewestSnapshot() throws IOException {
    CollectedFile mark = open();
    mark.raise(10);
    mark.raise(20);
    for (int slot = 0; slot < CollectedSlots.SLOTS; slot++) {
      byte[] damaged = Files.readAllBytes(file());
      damaged[slot * CollectedSlots.SLOT_BYTES + 12] ^= 1;
      Path copy = Files.createDirectories(state.resolve("copy" + slot));
      Files.write(copy.resolve("collected"), damaged);
      assertThrows(IOException.class, () -> CollectedFile.read(copy));
      assertEquals(Long.MAX_VALUE, CollectedFile.most(copy), "nobody knows");
      Path snapshot = copy.resolve("snapshots/00000000000000000025.snapshot");
      Files.write(snapshot, new byte[0]);
      assertEquals(25, CollectedFile.read(copy));
      assertEquals(25, CollectedFile.most(copy));
      assertEquals(30, CollectedFile.open(copy, List.of(25L, 30L, 5L)).through());
      assertEquals(30, CollectedFile.open(copy, List.of()).through(), "it is mended");
    }
  }

  @Test
  void withoutASnapshotNobodyKnows() throws IOException {
    for (byte[] damaged : List.of(new byte[0], new byte[2 * CollectedSlots.SLOT_BYTES], bytes(7))) {
      Files.write(file(), damaged);
      IOException refused = assertThrows(IOException.class, this::open);
      assertTrue(refused.getMessage().contains("is damaged"), refused::getMessage);
      CollectedFile.lower(state, 4); // the log is cut there, so it cannot be higher
      assertEquals(4, open().through());
    }
  }

  @Test
  void aCutOfTheLogLowersIt() throws IOException {
    open().raise(20);
    CollectedFile.lower(state, 30);
    assertEquals(20, open().through());
    CollectedFile.lower(state, 12);
    assertEquals(12, open().through());
    open().raise(13);
    assertEquals(13, open().through());
  }

  /** The file of a release that was shipped. */
  @Test
  void theFormatIsFrozen() throws IOException {
    byte[] slot = CollectedSlots.slot(0x0102030405L);
    assertEquals("4853434f4c4c4543010000000102030405", HexFormat.of().formatHex(slot, 0, 17));
    assertEquals(
        HexFormat.of().formatHex(Blake3.hash(slot, 0, 17).toBytes()),
        HexFormat.of().formatHex(slot, 17, 49));
    byte[] file = CollectedSlots.file(0x0102030405L);
    assertEquals(8_192, file.length);
    assertEquals(new CollectedSlots(0x0102030405L, 0, false), CollectedSlots.read(file));
  }

  private static byte[] bytes(int length) {
    return new byte[length];
  }

  private Path file() {
    return state.resolve("collected");
  }

  private CollectedFile open() throws IOException {
    return CollectedFile.open(state, List.of());
  }
}

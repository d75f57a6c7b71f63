package io.hypersync.snapshot;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hypersync.model.codec.DecodeException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** What the catalog keeps of a snapshot. */
class SnapshotTest {
  private static final Snapshot SNAPSHOT =
      new Snapshot(7, 1_764_000_000_000_000_000L, 2, 9_000, true, "caf\u00e9", ascii("manifest"));

  /** Frozen: files of this form are on disks. */
  private static final String FORM =
      "4853534e41505348 01 0000000000000007 187afca767ca0000 0000000000000002 0000000000002328 01"
          + " 00000005 636166c3a9 00000008 6d616e6966657374";

  @Test
  void theFormIsTheFrozenOne() throws DecodeException {
    byte[] encoded = SNAPSHOT.encode();
    String form = FORM.replace(" ", "");
    assertEquals(form, HexFormat.of().formatHex(Arrays.copyOf(encoded, encoded.length - 32)));
    assertArrayEquals(encoded, Snapshot.decode(encoded).encode());
  }

  @Test
  void everyDamageIsFound() {
    byte[] encoded = SNAPSHOT.encode();
    for (int at = 0; at < encoded.length; at++) {
      byte[] damaged = encoded.clone();
      damaged[at] ^= 1;
      assertThrows(DecodeException.class, () -> Snapshot.decode(damaged), "byte " + at);
    }
    for (int length = 0; length < encoded.length; length++) {
      byte[] cut = Arrays.copyOf(encoded, length);
      assertThrows(DecodeException.class, () -> Snapshot.decode(cut), length + " bytes");
    }
  }

  @Test
  void aLaterFormatIsNamed() {
    byte[] later = SNAPSHOT.encode();
    later[8] = 2;
    DecodeException refused = assertThrows(DecodeException.class, () -> Snapshot.decode(later));
    assertEquals(
        "the snapshot has format 2, and this version of hypersync reads 1", refused.getMessage());
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}

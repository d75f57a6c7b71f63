package io.hypersync.leader.hazard;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.hazard.Author;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.WorkerId;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The bytes of a window beside a snapshot. */
class WindowCodecTest {
  private static final Hash ROOT =
      Hash.parse("101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f");
  private static final Author BLUE = new Author("Blue", new WorkerId("w1"));
  private static final Author NOBODY = new Author("", new WorkerId("w2"));
  private static final NodeId FILE = new NodeId(1, 2);
  private static final TouchWindow.Image IMAGE =
      new TouchWindow.Image(
          0x1234,
          ROOT,
          List.of(
              Touch.content(FILE, 0x1001, BLUE, 5, 0x10000, -7),
              Touch.content(FILE, 0x1002, NOBODY, 0, 4, Touch.NOTHING_WRITTEN),
              Touch.name(FILE, 0x1003, BLUE, Touch.What.RENAME),
              Touch.name(FILE, 0x1004, NOBODY, Touch.What.UNLINK),
              Touch.name(new NodeId(3, 4), 0x1234, BLUE, Touch.What.REPLACE)),
          List.of(
              new TouchWindow.Recorded(new NodeId(5, 6), 0x1000),
              new TouchWindow.Recorded(new NodeId(7, 8), 0x1100)));

  /** Files of this version are read by all later programs. */
  private static byte[] golden() throws IOException {
    try (InputStream file =
        Objects.requireNonNull(
            WindowCodecTest.class.getResourceAsStream("/golden/touch-window-v1.hex"))) {
      String text = new String(file.readAllBytes(), StandardCharsets.UTF_8);
      return HexFormat.of().parseHex(text.replaceAll("#.*", "").replaceAll("\\s", ""));
    }
  }

  @Test
  void aWindowHasTheseBytes() throws Exception {
    assertEquals(
        HexFormat.of().formatHex(golden()), HexFormat.of().formatHex(WindowCodec.encode(IMAGE)));
    assertEquals(IMAGE, WindowCodec.decode(golden()));
  }

  @Test
  void anEmptyWindowToo() throws Exception {
    TouchWindow.Image empty = new TouchWindow().image(1, ROOT);
    assertEquals(empty, WindowCodec.decode(WindowCodec.encode(empty)));
  }

  @Test
  void aWindowThatIsReadHoldsWhatItDid() throws Exception {
    TouchWindow window = new TouchWindow();
    for (int i = 1; i <= 2 * TouchWindow.ENTRIES; i++) {
      window.expire(i);
      window.add(
          List.of(Touch.content(new NodeId(1, i % 50), i, i % 3 == 0 ? BLUE : NOBODY, 0, 1, i)));
      if (i % 100 == 0) {
        window.recorded(new NodeId(2, i % 7), i);
      }
    }
    TouchWindow.Image image = window.image(2 * TouchWindow.ENTRIES, ROOT);
    TouchWindow read = TouchWindow.of(WindowCodec.decode(WindowCodec.encode(image)));
    assertEquals(image, read.image(2 * TouchWindow.ENTRIES, ROOT));
    for (int i = 2 * TouchWindow.ENTRIES + 1; i <= 3 * TouchWindow.ENTRIES; i++) {
      List<Touch> more = List.of(Touch.content(new NodeId(1, i % 60), i, BLUE, 0, 1, i));
      for (TouchWindow each : List.of(window, read)) {
        each.expire(i);
        each.add(more);
      }
    }
    assertEquals(
        window.image(3 * TouchWindow.ENTRIES, ROOT), read.image(3 * TouchWindow.ENTRIES, ROOT));
  }

  /** Each bit counts: what agents are told must not rest on rotten bytes. */
  @Test
  void damagedBytesAreRefused() {
    byte[] right = WindowCodec.encode(IMAGE);
    for (int at = 0; at < right.length; at++) {
      byte[] wrong = right.clone();
      wrong[at] ^= 0x10;
      assertThrows(DecodeException.class, () -> WindowCodec.decode(wrong));
      byte[] cut = Arrays.copyOf(right, at);
      assertThrows(DecodeException.class, () -> WindowCodec.decode(cut));
    }
  }

  /** Somebody may have written a file with a right hash. */
  @Test
  void whatMakesNoSenseIsRefused() {
    refused("another version", 8, 2);
    refused("another kind of file", 0, 'x');
    refused("too many authors", 49, 0x7f);
    refused("another author", 49 + 4 + 4 + 4 + 4 + 2 + 4 + 4 + 2 + 4 + 8 + 16, 1);
    refused("an entry behind the newest", 49 + 4 + 4 + 4 + 4 + 2 + 4 + 4 + 2 + 4, 1);
    refused("another kind of touch", 49 + 4 + 4 + 4 + 4 + 2 + 4 + 4 + 2 + 4 + 8 + 16 + 4, 9);
  }

  private static void refused(String what, int at, int value) {
    byte[] right = WindowCodec.encode(IMAGE);
    byte[] content = Arrays.copyOf(right, right.length - Hash.BYTES);
    content[at] = (byte) value;
    byte[] wrong = Arrays.copyOf(content, right.length);
    Blake3.hash(content).write(wrong, content.length);
    assertThrows(DecodeException.class, () -> WindowCodec.decode(wrong), what);
    assertArrayEquals(right, WindowCodec.encode(IMAGE));
  }
}

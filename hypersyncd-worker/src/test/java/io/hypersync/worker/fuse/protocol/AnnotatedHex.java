package io.hypersync.worker.fuse.protocol;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;

/** Bytes written in hexadecimal, with a comment after {@code #} on each line. */
public final class AnnotatedHex {
  private AnnotatedHex() {}

  public static byte[] bytes(String annotated) {
    StringBuilder digits = new StringBuilder();
    annotated.lines().forEach(line -> digits.append(line.replaceFirst("#.*", "").replace(" ", "")));
    return HexFormat.of().parseHex(digits);
  }

  /** A request with this body from uid 1000, gid 100, pid 4321 about node 7, unique 0x22. */
  public static ByteBuffer request(int opcode, byte[] body) {
    return ByteBuffer.allocate(40 + body.length)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putInt(40 + body.length)
        .putInt(opcode)
        .putLong(0x22)
        .putLong(7)
        .putInt(1000)
        .putInt(100)
        .putInt(4321)
        .putInt(0)
        .put(body)
        .flip();
  }

  public static String of(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.duplicate().get(bytes);
    return HexFormat.of().formatHex(bytes);
  }
}

package io.hypersync.fuzz;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Mutates inputs as bad disks, broken connections, other versions and attackers would. */
final class Mutator {
  private static final long[] EXTREMES = {
    0,
    1,
    -1,
    2,
    127,
    128,
    255,
    256,
    65_535,
    65_536,
    65_537,
    1 << 20,
    1 << 24,
    Integer.MAX_VALUE,
    Integer.MIN_VALUE,
    0xffff_ffffL,
    Long.MAX_VALUE,
    Long.MIN_VALUE
  };
  private static final int MOST_INSERTED = 40;
  private static final int MOST_CHANGES = 4;

  private final List<byte[]> inputs;
  private final Random random;

  Mutator(List<byte[]> inputs, Random random) {
    this.inputs = inputs;
    this.random = random;
  }

  /** One of the inputs with one to four changes. */
  byte[] next() {
    byte[] bytes = any().clone();
    for (int changes = 1 + random.nextInt(MOST_CHANGES); changes > 0; changes--) {
      bytes = changed(bytes);
    }
    return bytes;
  }

  private byte[] changed(byte[] bytes) {
    if (bytes.length == 0) {
      return inserted(bytes);
    }
    int at = random.nextInt(bytes.length);
    switch (random.nextInt(9)) {
      case 0, 1 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
      case 2 -> bytes[at] = (byte) random.nextInt();
      case 3 -> {
        return Arrays.copyOf(bytes, at);
      }
      case 4 -> {
        return inserted(bytes);
      }
      case 5 -> {
        return joined(bytes, at, bytes, Math.min(bytes.length, at + 1 + random.nextInt(16)));
      }
      case 6 -> {
        byte[] other = any();
        int from =
            random.nextBoolean() ? Math.min(at, other.length) : random.nextInt(1 + other.length);
        return joined(bytes, at, other, from);
      }
      default -> extreme(bytes, at);
    }
    return bytes;
  }

  /** Overwrites bytes with an extreme number of 1, 2, 4 or 8 bytes, in either byte order. */
  private void extreme(byte[] bytes, int at) {
    long value =
        random.nextInt(4) == 0
            ? bytes.length + random.nextInt(5) - 2
            : EXTREMES[random.nextInt(EXTREMES.length)];
    ByteBuffer number = ByteBuffer.allocate(Long.BYTES);
    int width = 1 << random.nextInt(4);
    if (random.nextBoolean()) {
      number.putLong(value).position(Long.BYTES - width);
    } else {
      number.order(ByteOrder.LITTLE_ENDIAN).putLong(value).position(0);
    }
    number.get(bytes, at, Math.min(width, bytes.length - at));
  }

  private byte[] inserted(byte[] bytes) {
    byte[] more = new byte[1 + random.nextInt(MOST_INSERTED)];
    if (random.nextBoolean()) {
      random.nextBytes(more);
    }
    int at = random.nextInt(1 + bytes.length);
    byte[] begun = joined(bytes, at, more, 0);
    return joined(begun, begun.length, bytes, at);
  }

  private byte[] any() {
    return inputs.get(random.nextInt(inputs.size()));
  }

  /** The first {@code end} bytes of one array, then those of the other one from {@code from} on. */
  private static byte[] joined(byte[] first, int end, byte[] second, int from) {
    ByteArrayOutputStream out = new ByteArrayOutputStream(end + second.length - from);
    out.write(first, 0, end);
    out.write(second, from, second.length - from);
    return out.toByteArray();
  }
}

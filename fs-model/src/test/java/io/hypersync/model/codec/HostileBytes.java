package io.hypersync.model.codec;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.util.Arrays;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;

/** Tests a decoder with malformed bytes: truncated, extended and mutated encodings. */
public final class HostileBytes {
  /** Maximum that one decoding may allocate, whatever lengths the bytes claim. */
  private static final long MAX_ALLOCATION_BYTES = 512 * 1024;

  /** A decoder followed by its encoder. */
  @FunctionalInterface
  public interface Codec {
    /** Decodes the bytes and encodes the result again. */
    byte[] decodeAndEncode(byte[] bytes) throws DecodeException;
  }

  private HostileBytes() {}

  /** Every proper prefix must be rejected. */
  public static void assertEveryTruncationIsRefused(String name, byte[] bytes, Codec codec) {
    for (int length = 0; length < bytes.length; length++) {
      byte[] prefix = Arrays.copyOf(bytes, length);
      assertThrows(
          DecodeException.class,
          () -> codec.decodeAndEncode(prefix),
          name + " cut to " + length + " of " + bytes.length + " bytes");
    }
  }

  /** Any trailing byte must be rejected. */
  public static void assertTrailingByteIsRefused(String name, byte[] bytes, Codec codec) {
    for (byte extra : new byte[] {0, 1, -1}) {
      byte[] longer = Arrays.copyOf(bytes, bytes.length + 1);
      longer[bytes.length] = extra;
      assertThrows(
          DecodeException.class,
          () -> codec.decodeAndEncode(longer),
          name + " and a byte " + extra);
    }
  }

  /**
   * Mutated fixtures must be rejected with {@link DecodeException}, or be the canonical encoding of
   * another value. Nothing else may be thrown, and no claimed length may make the decoder allocate.
   */
  public static void assertMutationsAreHarmless(
      long seed, int rounds, Collection<byte[]> fixtures, Codec codec) {
    Random random = new Random(seed);
    List<byte[]> originals = List.copyOf(fixtures);
    int refused = 0;
    for (int round = 0; round < rounds; round++) {
      byte[] bytes = mutate(originals.get(random.nextInt(originals.size())), random);
      String what = "seed " + seed + " round " + round + ": " + HexFormat.of().formatHex(bytes);
      long before = allocated();
      try {
        assertArrayEquals(bytes, codec.decodeAndEncode(bytes), what);
      } catch (DecodeException e) {
        refused++;
      } catch (RuntimeException | Error e) {
        fail(what, e);
      }
      long first = allocated() - before;
      // The first decoding may also have loaded classes; a second one allocates only for its bytes.
      long allocated = first < MAX_ALLOCATION_BYTES ? first : allocatedBy(codec, bytes);
      assertTrue(allocated < MAX_ALLOCATION_BYTES, () -> what + " allocates " + allocated);
    }
    assertTrue(
        refused > rounds / 10 && refused < rounds,
        "of " + rounds + " mutations " + refused + " were refused: the fuzzer does not bite");
  }

  private static long allocatedBy(Codec codec, byte[] bytes) {
    long before = allocated();
    try {
      codec.decodeAndEncode(bytes);
    } catch (DecodeException refused) {
      // Whether the bytes are rejected does not matter here, only what decoding allocates.
    }
    return allocated() - before;
  }

  private static byte[] mutate(byte[] original, Random random) {
    byte[] bytes = original.clone();
    for (int changes = 1 + random.nextInt(3); changes > 0 && bytes.length > 0; changes--) {
      int at = random.nextInt(bytes.length);
      switch (random.nextInt(6)) {
        case 0 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
        case 1 -> bytes[at] = (byte) random.nextInt();
        case 2 -> bytes[at] = new byte[] {0, 1, 0x7f, (byte) 0x80, -1, '/', '.'}[random.nextInt(7)];
        case 3 -> bytes = Arrays.copyOf(bytes, at);
        case 4 -> bytes = Arrays.copyOf(bytes, bytes.length + random.nextInt(40));
        default -> {
          int length = Math.min(1 + random.nextInt(8), bytes.length - at);
          Arrays.fill(bytes, at, at + length, (byte) (random.nextBoolean() ? -1 : 0x7f));
        }
      }
    }
    return bytes;
  }

  private static long allocated() {
    return ((com.sun.management.ThreadMXBean)
            java.lang.management.ManagementFactory.getThreadMXBean())
        .getCurrentThreadAllocatedBytes();
  }
}

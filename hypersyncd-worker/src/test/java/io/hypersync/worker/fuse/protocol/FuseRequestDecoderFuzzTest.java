package io.hypersync.worker.fuse.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.worker.fuse.abi.InitFlag;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Every byte sequence has a result. */
class FuseRequestDecoderFuzzTest {
  private static final int ROUNDS = 300_000;

  @Test
  void noBytesMakeTheDecoderThrow() {
    long seed = Long.getLong("hypersync.seed", System.nanoTime());
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    FuseRequestDecoder[] decoders = {
      new FuseRequestDecoder(Set.of()), new FuseRequestDecoder(Set.of(InitFlag.SETXATTR_EXT))
    };
    int understood = 0;
    for (int round = 0; round < ROUNDS; round++) {
      byte[] message = message(random);
      try {
        Decoded decoded = decoders[round & 1].decode(ByteBuffer.wrap(message));
        if (message.length >= 40) {
          assertEquals(
              ByteBuffer.wrap(message).order(ByteOrder.LITTLE_ENDIAN).getLong(8),
              decoded.unique().value());
        }
        understood += decoded instanceof Decoded.Malformed ? 0 : 1;
      } catch (RuntimeException | Error e) {
        throw new AssertionError(
            "seed %d round %d: %s".formatted(seed, round, HexFormat.of().formatHex(message)), e);
      }
    }
    int share = understood;
    assertTrue(
        share > ROUNDS / 20, () -> "only " + share + " messages got past the header: seed " + seed);
  }

  /** Random bytes, mostly after a header that is valid enough for the body to be decoded. */
  private static byte[] message(Random random) {
    byte[] bytes = new byte[random.nextInt(200)];
    random.nextBytes(bytes);
    if (bytes.length >= 40 && random.nextInt(10) > 0) {
      ByteBuffer header = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
      header.putInt(0, bytes.length);
      header.putInt(4, random.nextInt(56));
      header.putShort(36, (short) (random.nextInt(8) == 0 ? random.nextInt(4) : 0));
      for (int i = 40; i < bytes.length; i++) {
        if (random.nextInt(3) == 0) {
          bytes[i] = 0;
        }
      }
    }
    return bytes;
  }
}

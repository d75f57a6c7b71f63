package io.hypersync.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hypersync.worker.fuse.abi.InitFlag;
import io.hypersync.worker.fuse.protocol.Decoded;
import io.hypersync.worker.fuse.protocol.FuseRequestDecoder;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** Messages of the kernel. The decoder is total: no exception is allowed at all. */
final class KernelTargets {
  private static final int HEADER_BYTES = 40;
  private static final int UNIQUE_AT = 8;

  private KernelTargets() {}

  static List<FuzzTarget> all() {
    FuseRequestDecoder plain = new FuseRequestDecoder(Set.of());
    FuseRequestDecoder extended = new FuseRequestDecoder(Set.of(InitFlag.SETXATTR_EXT));
    return List.of(
        FuzzTarget.of("fuse-request", Never.class, List.of(), input -> decode(plain, input))
            .repairedBy(KernelTargets::withItsLength),
        FuzzTarget.of("fuse-request-ext", Never.class, List.of(), input -> decode(extended, input))
            .repairedBy(KernelTargets::withItsLength));
  }

  private static boolean decode(FuseRequestDecoder decoder, byte[] input) {
    Decoded decoded = decoder.decode(ByteBuffer.wrap(input));
    if (input.length >= HEADER_BYTES) {
      ByteBuffer header = ByteBuffer.wrap(input).order(ByteOrder.nativeOrder());
      assertEquals(header.getLong(UNIQUE_AT), decoded.unique().value());
    }
    return !(decoded instanceof Decoded.Malformed);
  }

  private static byte[] withItsLength(byte[] damaged, Random random) {
    if (damaged.length >= Integer.BYTES) {
      ByteBuffer.wrap(damaged).order(ByteOrder.nativeOrder()).putInt(0, damaged.length);
    }
    return damaged;
  }

  /** An exception that no decoder throws. */
  private static final class Never extends Exception {
    private static final long serialVersionUID = 1L;
  }
}

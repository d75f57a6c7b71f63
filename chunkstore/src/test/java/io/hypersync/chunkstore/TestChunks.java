package io.hypersync.chunkstore;

import java.util.Random;

/** Deterministic chunks, so that two processes can generate the same ones. */
public final class TestChunks {
  private TestChunks() {}

  /** The chunk with this number: {@code length} pseudo-random bytes. */
  public static Chunk chunk(long number, int length) {
    byte[] bytes = new byte[length];
    new Random(number).nextBytes(bytes);
    return Chunk.of(bytes);
  }

  /** The chunk with this number, of 1 byte to 64 KiB; the lengths repeat after a few numbers. */
  public static Chunk chunk(long number) {
    int[] lengths = {1, 100, 4095, 4096, 5000, 20_000, 65_536};
    return chunk(number, lengths[(int) (number % lengths.length)]);
  }
}

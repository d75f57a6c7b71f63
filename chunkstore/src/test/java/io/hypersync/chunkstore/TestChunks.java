package io.hypersync.chunkstore;

import java.util.Random;

/** Chunks that two processes can agree on. */
public final class TestChunks {
  private TestChunks() {}

  /** The chunk of that number, of that many random bytes. */
  public static Chunk chunk(long number, int length) {
    byte[] bytes = new byte[length];
    new Random(number).nextBytes(bytes);
    return Chunk.of(bytes);
  }

  /** The chunk of that number; every few have the same length, from 1 byte to 64 KiB. */
  public static Chunk chunk(long number) {
    int[] lengths = {1, 100, 4095, 4096, 5000, 20_000, 65_536};
    return chunk(number, lengths[(int) (number % lengths.length)]);
  }
}

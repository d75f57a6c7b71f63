package io.hypersync.bench.micro;

import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Hashing of one block, a trie leaf, a small write and the largest chunk; and of an inner node of a
 * trie. The warm-up is long because the JIT takes some seconds to compile vector code.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 6, time = 1)
@Measurement(iterations = 5, time = 1)
public class Blake3Benchmark {
  public Blake3Benchmark() {}

  /** The input of one hash. */
  @State(Scope.Benchmark)
  public static class Input {
    /** Length of the input. */
    @Param({"64", "157", "4096", "65536"})
    public int bytes;

    private byte[] input = {};

    public Input() {}

    @Setup
    public void fill() {
      input = random(bytes);
    }
  }

  /**
   * Contents of an inner trie node: two hashes, and the metadata of version 1 or the key of version
   * 2.
   */
  @State(Scope.Benchmark)
  public static class Pair {
    private static final int TAIL_BYTES = 5;

    private final byte[] bytes = random(2 * Hash.BYTES + TAIL_BYTES);
    private final Hash left = Hash.read(bytes, 0);
    private final Hash right = Hash.read(bytes, Hash.BYTES);
    private final byte[] keyBytes = random(Hash.BYTES);
    private final Hash key = Hash.read(keyBytes, 0);
    private final byte[] block = Arrays.copyOf(bytes, 2 * Hash.BYTES);

    public Pair() {}
  }

  /** HyperSync's implementation. */
  @Benchmark
  @Reference("codec")
  public Hash ours(Input input) {
    return Blake3.hash(input.input);
  }

  /** The reference: Apache Commons Codec. */
  @Benchmark
  public byte[] codec(Input input) {
    return org.apache.commons.codec.digest.Blake3.hash(input.input);
  }

  /** HyperSync's hash of an inner trie node of version 1. */
  @Benchmark
  @Reference("codecPair")
  public Hash pair(Pair pair) {
    return Blake3.pairAndTail(pair.left, pair.right, 1, Pair.TAIL_BYTES);
  }

  /** The reference: Apache Commons Codec with the same number of bytes. */
  @Benchmark
  public byte[] codecPair(Pair pair) {
    return org.apache.commons.codec.digest.Blake3.hash(pair.bytes);
  }

  /** HyperSync's hash of an inner trie node of version 2. */
  @Benchmark
  @Reference("codecKeyedPair")
  public Hash keyedPair(Pair pair) {
    return Blake3.keyedPair(pair.key, pair.left, pair.right);
  }

  /** The reference: Apache Commons Codec with the same key and bytes. */
  @Benchmark
  public byte[] codecKeyedPair(Pair pair) {
    return org.apache.commons.codec.digest.Blake3.keyedHash(pair.keyBytes, pair.block);
  }

  private static byte[] random(int length) {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    return bytes;
  }
}

package io.hypersync.bench.micro;

import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
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

/** Hashing of a trie node, of a small write and of the largest chunk. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@State(Scope.Benchmark)
public class Blake3Benchmark {
  /** How much is hashed at once. */
  @Param({"64", "4096", "65536"})
  public int bytes;

  private byte[] input = {};

  /** Made by JMH. */
  public Blake3Benchmark() {}

  /** Makes the input. */
  @Setup
  public void fill() {
    input = new byte[bytes];
    new Random(bytes).nextBytes(input);
  }

  /** The product's. */
  @Benchmark
  @Beside("codec")
  public Hash ours() {
    return Blake3.hash(input);
  }

  /** Apache Commons Codec's. */
  @Benchmark
  public byte[] codec() {
    return org.apache.commons.codec.digest.Blake3.hash(input);
  }
}

package io.hypersync.bench.micro;

import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;

/** The suites of hypersync.md 17.2. */
public enum Subject {
  /** The leader's loop. */
  COMMIT_LOOP("commit-loop", CommitLoopBenchmark.class),
  /** Hashing. */
  BLAKE3("blake3", Blake3Benchmark.class),
  /** The chunk store. */
  CHUNK_STORE("chunk-store", ChunkStoreBenchmark.class),
  /** The op log. */
  LOG_APPEND("log-append", LogAppendBenchmark.class),
  /** Catching up. */
  APPLY("apply", ApplyBenchmark.class),
  /** Many workers. */
  FAN_OUT("fan-out", FanOutBenchmark.class),
  /** A whole leader, and simulated workers. */
  LEADER("leader", LeaderBenchmark.class),
  /** Reading through a mount. */
  FUSE_CROSSING("fuse-crossing", FuseCrossingBenchmark.class),
  /** Making kernels forget. */
  INVALIDATION("invalidation", InvalidationBenchmark.class),
  /** Appending to one file. */
  APPEND("append", AppendBenchmark.class),
  /** Roots and proofs. */
  MERKLE("merkle", MerkleBenchmark.class);

  private final String key;
  private final Class<?> benchmarks;

  Subject(String key, Class<?> benchmarks) {
    this.key = key;
    this.benchmarks = benchmarks;
  }

  /** The subject of this key, as options and rows have it. */
  public static Optional<Subject> of(String key) {
    return Arrays.stream(values()).filter(subject -> subject.key.equals(key)).findFirst();
  }

  /** All keys, for messages. */
  public static String keys() {
    return Arrays.stream(values()).map(Subject::key).collect(Collectors.joining(", "));
  }

  /** Name in options and rows. */
  public String key() {
    return key;
  }

  /** The class of its benchmarks. */
  Class<?> benchmarks() {
    return benchmarks;
  }
}

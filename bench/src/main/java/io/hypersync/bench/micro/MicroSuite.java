package io.hypersync.bench.micro;

import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;

/** The JMH suites of hypersync.md 17.2. */
public enum MicroSuite {
  /** The leader's event loop. */
  COMMIT_LOOP("commit-loop", CommitLoopBenchmark.class),
  BLAKE3("blake3", Blake3Benchmark.class),
  CHUNK_STORE("chunk-store", ChunkStoreBenchmark.class),
  LOG_APPEND("log-append", LogAppendBenchmark.class),
  /** Catch-up of a new worker. */
  APPLY("apply", ApplyBenchmark.class),
  /** Replication to many workers. */
  FAN_OUT("fan-out", FanOutBenchmark.class),
  /** A complete leader with simulated workers. */
  LEADER("leader", LeaderBenchmark.class),
  /** Reading through a mount. */
  FUSE_CROSSING("fuse-crossing", FuseCrossingBenchmark.class),
  /** Invalidations of kernel caches. */
  INVALIDATION("invalidation", InvalidationBenchmark.class),
  /** Appending to one file through two mounts. */
  APPEND("append", AppendBenchmark.class),
  /** Merkle roots and proofs. */
  MERKLE("merkle", MerkleBenchmark.class),
  /** Repair symbols, and chunks from symbols. */
  RAPTORQ("raptorq", RaptorQBenchmark.class),
  /** Which agent makes a call. */
  AGENT_NAMES("agent-names", AgentNamesBenchmark.class);

  private final String key;
  private final Class<?> benchmarks;

  MicroSuite(String key, Class<?> benchmarks) {
    this.key = key;
    this.benchmarks = benchmarks;
  }

  /** Returns the subject of a key, as in options and rows. */
  public static Optional<MicroSuite> of(String key) {
    return Arrays.stream(values()).filter(subject -> subject.key.equals(key)).findFirst();
  }

  /** Returns all keys, for messages. */
  public static String keys() {
    return Arrays.stream(values()).map(MicroSuite::key).collect(Collectors.joining(", "));
  }

  /** Returns the name in options and rows. */
  public String key() {
    return key;
  }

  /** Returns the class with the benchmarks. */
  Class<?> benchmarks() {
    return benchmarks;
  }
}

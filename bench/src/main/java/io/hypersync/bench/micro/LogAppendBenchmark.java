package io.hypersync.bench.micro;

import io.hypersync.leader.oplog.ChunkSync;
import io.hypersync.leader.oplog.OpLogOptions;
import io.hypersync.leader.oplog.RecoveryListener.Verdict;
import io.hypersync.leader.oplog.chronicle.ChronicleOpLog;
import java.io.IOException;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** Append and sync of the op log, single and as group commits (hypersync.md 6.3.1). */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class LogAppendBenchmark {
  private static final int ENTRIES = 64;

  public LogAppendBenchmark() {}

  @State(Scope.Benchmark)
  public static class Log {
    private static final int ENTRY_BYTES = 300;

    /** Number of entries that are appended before waiting for their durability. */
    @Param({"1", "8", "64"})
    public int batch;

    private final byte[] entry = new byte[ENTRY_BYTES];
    private Scratch scratch;
    private Durability durability;
    private ChronicleOpLog log;

    public Log() {}

    @Setup
    public void open() throws IOException {
      new Random(1).nextBytes(entry);
      scratch = Scratch.create();
      durability = new Durability();
      log =
          ChronicleOpLog.open(
              scratch.folder("oplog"),
              OpLogOptions.DEFAULT,
              ChunkSync.NONE,
              (_, _) -> Verdict.KEEP,
              durability);
    }

    @TearDown
    public void close() throws IOException {
      log.close();
      scratch.close();
    }
  }

  /** Durable append of one entry of 300 bytes, as part of a batch. */
  @Benchmark
  @OperationsPerInvocation(ENTRIES)
  @Reference("disk")
  public void append(Log state) throws IOException {
    for (int done = 0; done < ENTRIES; done += state.batch) {
      long index = state.log.appendedIndex();
      for (int i = 0; i < state.batch; i++) {
        index++;
        state.log.append(index, state.entry, false);
      }
      state.durability.await(index);
    }
  }

  /** The floor: one durable overwrite. */
  @Benchmark
  public void disk(DiskFloor floor) throws IOException {
    floor.overwrite();
  }
}

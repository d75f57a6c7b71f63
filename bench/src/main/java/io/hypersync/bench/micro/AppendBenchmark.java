package io.hypersync.bench.micro;

import io.hypersync.bench.Operation;
import io.hypersync.bench.Work;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Threads append through two mounts to one file (O_APPEND, hypersync.md 22.1(7)). At the end the
 * file is read and must consist of exactly the appended records, each writer's in order.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class AppendBenchmark {
  private static final int WRITERS = 4;
  private static final int RECORD_BYTES = 100;

  public AppendBenchmark() {}

  /** A workspace with two mounts, and one file. */
  @State(Scope.Benchmark)
  public static class Shared {
    private final AtomicInteger writers = new AtomicInteger();
    private final AtomicLongArray written = new AtomicLongArray(WRITERS);
    private LocalWorkspace workspace;
    private LocalWorkspace.Worker reader;
    private LocalWorkspace.Worker other;
    private final List<FileChannel> files = new ArrayList<>();
    private Path name;

    public Shared() {}

    /** Mounts twice, creates the file and opens it for each writer, on alternating mounts. */
    @Setup
    public void mount() throws IOException, InterruptedException {
      workspace = LocalWorkspace.start();
      reader = workspace.mount();
      other = workspace.mount();
      name = Files.createFile(reader.mount().resolve("log"));
      other.await(reader.index());
      for (int i = 0; i < WRITERS; i++) {
        Path mount = (i % 2 == 0 ? reader : other).mount();
        files.add(FileChannel.open(mount.resolve("log"), StandardOpenOption.APPEND));
      }
    }

    /**
     * Checks the file, and removes everything. Before it is read through the first mount, that
     * mount has to catch up with the entries that the other one has acknowledged (hypersync.md
     * 6.2).
     */
    @TearDown
    public void verify() throws IOException {
      try {
        for (FileChannel file : files) {
          file.close();
        }
        reader.await(other.index());
        requireWhole(Files.readAllBytes(name));
      } finally {
        workspace.close();
      }
    }

    private void requireWhole(byte[] content) {
      long[] next = new long[WRITERS];
      for (int at = 0; at < content.length; at += RECORD_BYTES) {
        byte[] found = Arrays.copyOfRange(content, at, at + RECORD_BYTES);
        int writer = Character.digit(found[0], WRITERS);
        if (writer < 0 || !Arrays.equals(found, record(writer, next[writer]))) {
          throw new IllegalStateException(
              "at " + at + " there is " + new String(found, StandardCharsets.ISO_8859_1));
        }
        next[writer]++;
      }
      for (int i = 0; i < WRITERS; i++) {
        if (next[i] != written.get(i)) {
          throw new IllegalStateException(
              "writer " + i + " appended " + written.get(i) + ", there are " + next[i]);
        }
      }
    }
  }

  /** One writer. */
  @State(Scope.Thread)
  public static class Writer {
    private int number;

    public Writer() {}

    @Setup
    public void take(Shared shared) {
      number = shared.writers.getAndIncrement() % WRITERS;
    }
  }

  /**
   * The reference: each writer appends to its own file on the disk, with fsync after each append.
   */
  @State(Scope.Thread)
  public static class DiskWriter {
    private Scratch scratch;
    private Work append;

    public DiskWriter() {}

    @Setup
    public void open() throws IOException {
      scratch = Scratch.create();
      append = scratch.onDisk(Operation.APPEND);
    }

    @TearDown
    public void close() throws IOException {
      append.close();
      scratch.close();
    }
  }

  /** Four writers on two mounts: one durable append of 100 bytes. */
  @Benchmark
  @Threads(WRITERS)
  @Reference("diskAppend")
  public void append(Shared shared, Writer writer) throws IOException {
    long sequence = shared.written.get(writer.number);
    FileChannel file = shared.files.get(writer.number);
    int bytes = file.write(ByteBuffer.wrap(record(writer.number, sequence)));
    if (bytes != RECORD_BYTES) {
      throw new IOException("a write of " + bytes + " bytes");
    }
    shared.written.set(writer.number, sequence + 1);
  }

  /** Four writers on the disk: one append of 100 bytes with fsync. */
  @Benchmark
  @Threads(WRITERS)
  public void diskAppend(DiskWriter writer) throws IOException {
    writer.append.run();
  }

  private static byte[] record(int writer, long sequence) {
    String text = String.format(Locale.ROOT, "%d %97d\n", writer, sequence);
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}

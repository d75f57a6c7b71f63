package io.hypersync.bench.micro;

import io.hypersync.chunkstore.Chunk;
import io.hypersync.chunkstore.InMemoryChunkStore;
import io.hypersync.chunkstore.disk.DiskChunkStore;
import io.hypersync.chunkstore.disk.DiskChunkStoreOptions;
import io.hypersync.model.hash.Hash;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
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
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** The chunk store on disk: a durable put and a verified get, alone and with concurrent users. */
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class ChunkStoreBenchmark {
  public ChunkStoreBenchmark() {}

  /** A set of chunks, from which measurements choose randomly. */
  @State(Scope.Benchmark)
  public static class Chunks {
    private static final int COUNT = 1_000;

    /** Length of each chunk. */
    @Param({"4096", "65536"})
    public int bytes;

    private final List<Chunk> all = new ArrayList<>();

    public Chunks() {}

    @Setup
    public void make() {
      for (int i = 0; i < COUNT; i++) {
        byte[] content = new byte[bytes];
        ThreadLocalRandom.current().nextBytes(content);
        all.add(Chunk.of(content));
      }
    }

    Chunk any() {
      return all.get(ThreadLocalRandom.current().nextInt(COUNT));
    }
  }

  /** A store that contains the chunks, and threads that use it continuously. */
  @State(Scope.Benchmark)
  public static class Store {
    private static final int OTHERS_PUT_OF = 256;

    /** Number of other threads, which alternate durable puts and gets. */
    @Param({"0", "4"})
    public int others;

    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean stopped;
    private Scratch scratch;
    private DiskChunkStore store;

    public Store() {}

    /** Opens and fills the store, and starts the other threads. */
    @Setup
    public void open(Chunks chunks) {
      scratch = Scratch.create();
      store = DiskChunkStore.open(scratch.folder("chunks"), DiskChunkStoreOptions.DEFAULT);
      store.putAll(chunks.all);
      store.sync();
      for (int i = 0; i < others; i++) {
        threads.add(Thread.ofPlatform().daemon().start(() -> use(chunks)));
      }
    }

    /** Stops the threads, and removes the store. */
    @TearDown
    public void close() throws InterruptedException {
      stopped = true;
      for (Thread thread : threads) {
        thread.join();
      }
      store.close();
      scratch.close();
    }

    private void use(Chunks chunks) {
      while (!stopped) {
        put(chunks.any().bytes(), ThreadLocalRandom.current().nextLong(OTHERS_PUT_OF));
        var _ = store.getVerified(chunks.any().hash());
      }
    }

    /**
     * Puts under a made-up hash: the store does not verify it, and hashing is measured elsewhere.
     */
    private void put(byte[] bytes, long number) {
      store.put(new Hash(number, number, 0, 0), bytes);
      store.sync();
    }
  }

  /** The same chunks in an in-memory store. */
  @State(Scope.Benchmark)
  public static class Memory {
    private final InMemoryChunkStore store = new InMemoryChunkStore();

    public Memory() {}

    @Setup
    public void fill(Chunks chunks) {
      store.putAll(chunks.all);
    }
  }

  /** Puts a chunk durably. */
  @Benchmark
  @Reference("disk")
  public void put(Store state, Chunks chunks) {
    state.put(chunks.any().bytes(), ThreadLocalRandom.current().nextLong());
  }

  /** Gets and verifies a chunk. */
  @Benchmark
  @Reference("memory")
  public byte @Nullable [] get(Store state, Chunks chunks) {
    return state.store.getVerified(chunks.any().hash());
  }

  /** The floor of a put: one durable overwrite. */
  @Benchmark
  public void disk(DiskFloor floor) throws IOException {
    floor.overwrite();
  }

  /** The floor of a get: the same from a hash map. */
  @Benchmark
  public byte @Nullable [] memory(Memory memory, Chunks chunks) {
    return memory.store.getVerified(chunks.any().hash());
  }
}

package io.hypersync.model.state;

import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.WriteMode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * Measures and prints how long an op and its root update take in a large workspace (hypersync.md
 * 8.1.1), and how much heap a file takes. Not a test: the figures depend on the machine.
 */
final class RootUpdateTiming {
  private static final int FILES = 100_000;
  private static final int DIRECTORIES = 1_000;
  private static final int LARGE_FILE_CHUNKS = 1_000;
  private static final int ROUNDS = 100_000;
  private static final int CHUNK = 64 * 1024;

  private final Random random = new Random(1);
  private final List<NodeId> files = new ArrayList<>();
  private FsState state = FsState.genesis();
  private long time = 1;

  private RootUpdateTiming() {}

  /** Runs all measurements once; takes no arguments. */
  public static void main(String[] args) {
    new RootUpdateTiming().run();
  }

  private void run() {
    long before = usedHeap();
    populate();
    state.root();
    long after = usedHeap();
    System.out.printf(
        "%d files with one extent in %d directories: %d B of heap each, node trie %d deep%n",
        FILES, DIRECTORIES, (after - before) / FILES, state.nodes().depth());

    for (int warmUp = 0; warmUp < 3; warmUp++) {
      measure("single-chunk write", ROUNDS, () -> write(randomFile(), 0, 1));
    }
    measure("single-chunk append", ROUNDS, this::append);
    measure("create", ROUNDS, this::create);
    measure("chmod", ROUNDS, this::chmod);

    NodeId large = files.getFirst();
    apply(write(large, 0, LARGE_FILE_CHUNKS));
    measure("one chunk inside a file of 1000", 20_000, () -> write(large, random.nextInt(1000), 1));
    measureAlternating(large);
    measureCopies();
  }

  /** A copy of the maximum number of extents is the op that blocks the leader's thread longest. */
  private void measureCopies() {
    NodeId source = files.get(1);
    apply(write(source, 0, FsOp.CopyRange.MAX_EXTENTS));
    long length = (long) FsOp.CopyRange.MAX_EXTENTS * CHUNK;
    measure(
        "copy of 256 MiB in 4096 chunks",
        300,
        () -> new FsOp.CopyRange(source, 0, randomFile(), 0, length, false));
  }

  private void measureAlternating(NodeId large) {
    long[] writes = new long[2_000];
    long[] truncates = new long[2_000];
    for (int i = 0; i < writes.length; i++) {
      FsOp write = write(large, 0, LARGE_FILE_CHUNKS);
      long start = System.nanoTime();
      apply(write);
      writes[i] = System.nanoTime() - start;
      start = System.nanoTime();
      apply(new FsOp.Truncate(large, 1, false));
      truncates[i] = System.nanoTime() - start;
    }
    print("write of 1000 chunks, op and root", writes);
    print("truncate of 1000 chunks, op and root", truncates);
  }

  private void populate() {
    List<NodeId> directories = new ArrayList<>();
    for (int i = 0; i < DIRECTORIES; i++) {
      directories.add(apply(new FsOp.MakeDir(FsState.ROOT, Name.of("d" + i), 0755, 0, 0)));
    }
    for (int i = 0; i < FILES; i++) {
      NodeId parent = directories.get(random.nextInt(DIRECTORIES));
      Name name = Name.of("source-file-" + i + ".java");
      NodeId file = apply(new FsOp.CreateFile(parent, name, 0644, 0, 0));
      files.add(file);
      apply(write(file, 0, 1));
    }
  }

  private void measure(String what, int rounds, Supplier<FsOp> ops) {
    long[] op = new long[rounds];
    long[] root = new long[rounds];
    for (int i = 0; i < rounds; i++) {
      FsOp next = FsStateMachine.resolve(state, ops.get());
      Stamp stamp = stamp();
      long start = System.nanoTime();
      Outcome outcome = FsStateMachine.apply(state, next, stamp);
      long applied = System.nanoTime();
      state = ((Outcome.Applied) outcome).state();
      state.root();
      long end = System.nanoTime();
      op[i] = applied - start;
      root[i] = end - applied;
    }
    print(what + ", op", op);
    print(what + ", root", root);
  }

  private static void print(String what, long[] nanos) {
    Arrays.sort(nanos);
    System.out.printf(
        "%-42s p50 %8.2f us  p99 %8.2f us%n",
        what, nanos[nanos.length / 2] / 1e3, nanos[nanos.length * 99 / 100] / 1e3);
  }

  private NodeId apply(FsOp op) {
    Stamp stamp = stamp();
    state = ((Outcome.Applied) FsStateMachine.apply(state, op, stamp)).state();
    state.root();
    return stamp.newNode();
  }

  private Stamp stamp() {
    return new Stamp(time++, new NodeId(random.nextLong(), random.nextLong()));
  }

  private NodeId randomFile() {
    return files.get(random.nextInt(files.size()));
  }

  private FsOp write(NodeId file, long firstChunk, int count) {
    List<ChunkRef> chunks =
        IntStream.range(0, count).mapToObj(_ -> new ChunkRef(randomHash(), CHUNK)).toList();
    return new FsOp.Write(file, WriteMode.PWRITE, firstChunk * CHUNK, chunks, false);
  }

  private FsOp append() {
    List<ChunkRef> chunk = List.of(new ChunkRef(randomHash(), 100));
    return new FsOp.Write(randomFile(), WriteMode.APPEND, 0, chunk, false);
  }

  private FsOp create() {
    return new FsOp.CreateFile(FsState.ROOT, Name.of("new-" + random.nextLong()), 0644, 0, 0);
  }

  private FsOp chmod() {
    return new FsOp.SetAttributes(
        randomFile(), FsOp.SetAttributes.MODE, random.nextInt(01000), 0, 0, 0);
  }

  private Hash randomHash() {
    byte[] bytes = new byte[8];
    random.nextBytes(bytes);
    return Blake3.hash(bytes);
  }

  private static long usedHeap() {
    for (int i = 0; i < 3; i++) {
      System.gc();
    }
    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
  }
}

package io.hypersync.bench.micro;

import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.WriteMode;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.FsStateMachine;
import io.hypersync.model.state.Outcome;
import io.hypersync.model.state.Stamp;
import io.hypersync.model.trie.MerkleProof;
import io.hypersync.model.trie.RootVersion;
import io.hypersync.model.trie.TrieKey;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.apache.commons.codec.digest.Blake3;
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
import org.openjdk.jmh.annotations.Warmup;

/**
 * Applies an op and computes the Merkle root after it, with the number of files for which
 * hypersync.md 8.1.1 has targets; and creates the proof that a node is in the state.
 */
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(value = 1, jvmArgsAppend = "-Xmx4g")
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class MerkleBenchmark {
  public MerkleBenchmark() {}

  /** A filesystem with files of one chunk, and one large file. */
  @State(Scope.Benchmark)
  public static class Files {
    private static final int PER_DIRECTORY = 1_000;
    private static final int LARGE_CHUNKS = 1_000;
    private static final NodeId LARGE = new NodeId(1, 0);

    /** Number of small files. */
    @Param("1000000")
    public int files;

    private final SplittableRandom random = new SplittableRandom(1);
    private final List<NodeId> nodes = new ArrayList<>();
    private final List<ChunkRef> large = new ArrayList<>();
    private FsState state = FsState.genesis();
    private long timeNs;
    private long made;

    public Files() {}

    @Setup
    public void make() {
      NodeId directory = FsState.ROOT;
      for (int i = 0; i < files; i++) {
        if (i % PER_DIRECTORY == 0) {
          directory = newNode();
          Name name = Name.of("d" + i);
          state = after(new FsOp.MakeDir(FsState.ROOT, name, 0755, 0, 0), directory);
        }
        NodeId node = newNode();
        state = after(new FsOp.CreateFile(directory, Name.of("f" + i), 0644, 0, 0), node);
        state = after(overwrite(node), node);
        nodes.add(node);
      }
      for (int i = 0; i < LARGE_CHUNKS; i++) {
        large.add(chunk(ChunkRef.MAX_LENGTH));
      }
      state = after(new FsOp.CreateFile(FsState.ROOT, Name.of("large"), 0644, 0, 0), LARGE);
      state = after(write(LARGE, large), LARGE);
      var _ = state.root();
    }

    /** Returns an id in the order of time, like those that the leader assigns. */
    private NodeId newNode() {
      return new NodeId(++made << 16, random.nextLong());
    }

    private ChunkRef chunk(int length) {
      Hash hash =
          new Hash(random.nextLong(), random.nextLong(), random.nextLong(), random.nextLong());
      return new ChunkRef(hash, length);
    }

    NodeId any() {
      return nodes.get(random.nextInt(nodes.size()));
    }

    FsOp overwrite(NodeId node) {
      return write(node, List.of(chunk(4096)));
    }

    private static FsOp write(NodeId node, List<ChunkRef> chunks) {
      return new FsOp.Write(node, WriteMode.PWRITE, 0, chunks, false);
    }

    private FsState after(FsOp op, NodeId created) {
      timeNs++;
      return switch (FsStateMachine.apply(state, op, new Stamp(timeNs, created))) {
        case Outcome.Applied(FsState next) -> next;
        case Outcome.Failed(var errno) -> throw new IllegalStateException(op + ": " + errno);
      };
    }
  }

  /**
   * Input of the reference: 1.5 times the bytes of all inner nodes above a leaf in a trie of a
   * million leaves.
   */
  @State(Scope.Benchmark)
  public static class PathBytes {
    private final byte[] bytes = new byte[2_048];

    public PathBytes() {}
  }

  /** Writes one chunk to a random file; the resulting state is kept. */
  @Benchmark
  @Reference("codec")
  public Hash writeOneChunk(Files files) {
    NodeId node = files.any();
    files.state = files.after(files.overwrite(node), node);
    return files.state.root();
  }

  /**
   * Writes 1,000 chunks over a file of 1,000 chunks, of which the first is new; the state is not
   * kept.
   */
  @Benchmark
  @Reference("codec")
  public Hash writeThousandChunks(Files files) {
    List<ChunkRef> chunks = new ArrayList<>(files.large);
    chunks.set(0, files.chunk(ChunkRef.MAX_LENGTH));
    return files.after(Files.write(Files.LARGE, chunks), Files.LARGE).root();
  }

  /** Truncates a file of 1,000 chunks to length 0; the state is not kept. */
  @Benchmark
  @Reference("codec")
  public Hash truncateThousandChunks(Files files) {
    return files.after(new FsOp.Truncate(Files.LARGE, 0, false), Files.LARGE).root();
  }

  /** Creates the proof for a random file. */
  @Benchmark
  @Reference("codec")
  public @Nullable MerkleProof proof(Files files) {
    NodeId node = files.any();
    return files.state.nodes().proof(TrieKey.of(node.high(), node.low()), RootVersion.LATEST);
  }

  /** The reference: Apache Commons Codec hashes {@link PathBytes}. */
  @Benchmark
  public byte[] codec(PathBytes path) {
    return Blake3.hash(path.bytes);
  }
}

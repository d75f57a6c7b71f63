package io.hypersync.bench.micro;

import io.hypersync.raptorq.Code;
import io.hypersync.raptorq.Decoder;
import io.hypersync.raptorq.Encoder;
import io.hypersync.raptorq.OctetRows;
import io.hypersync.raptorq.SourceBlock;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A chunk of 64 KiB in 52 symbols of 1,280 bytes, with 10 % of repair symbols (hypersync.md 12.2).
 * Decoding includes the copy of each symbol into the block.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 6, time = 1)
@Measurement(iterations = 5, time = 1)
public class RaptorQBenchmark {
  private static final int CHUNK_BYTES = 64 << 10;
  private static final int SYMBOL_BYTES = 1280;
  private static final int REPAIR_SYMBOLS = 6;
  private static final int LOST = 5;

  public RaptorQBenchmark() {}

  /** With the arithmetic that the product uses. */
  @State(Scope.Benchmark)
  public static class Best {
    private final Chunk chunk = new Chunk(OctetRows.best());

    public Best() {}
  }

  /** Without vectors. */
  @State(Scope.Benchmark)
  public static class Scalar {
    private final Chunk chunk = new Chunk(OctetRows.scalar());

    public Scalar() {}
  }

  private static final class Chunk {
    private final SourceBlock block = new SourceBlock(CHUNK_BYTES, SYMBOL_BYTES);
    private final int k = block.sourceSymbols();
    private final Code code;
    private final byte[] data = new byte[CHUNK_BYTES];
    private final byte[] repair = new byte[REPAIR_SYMBOLS * SYMBOL_BYTES];

    Chunk(OctetRows octets) {
      code = Code.of(k, octets);
      new Random(1).nextBytes(data);
      encode();
    }

    byte[] encode() {
      new Encoder(code, block).repair(data, 0, k, REPAIR_SYMBOLS, repair, 0);
      return repair;
    }

    /** Decodes from all symbols but some of the source symbols, spread over the chunk. */
    byte[] decode(int lost) {
      Decoder decoder = new Decoder(code, block);
      for (int id = 0; id < k; id++) {
        if (lost == 0 || id % (k / lost) != 0 || id / (k / lost) >= lost) {
          decoder.add(id, data, block.sourceOffset(id), block.sourceBytes(id));
        }
      }
      for (int i = 0; i < lost; i++) {
        decoder.add(k + i, repair, i * SYMBOL_BYTES, SYMBOL_BYTES);
      }
      return decoder.decode().orElseThrow();
    }
  }

  /** All repair symbols of a chunk. */
  @Benchmark
  @Reference("encodeScalar")
  public byte[] encode(Best best) {
    return best.chunk.encode();
  }

  /** The reference: the same without vectors. */
  @Benchmark
  public byte[] encodeScalar(Scalar scalar) {
    return scalar.chunk.encode();
  }

  /** A chunk of which five source symbols are lost. */
  @Benchmark
  @Reference("decodeLostScalar")
  public byte[] decodeLost(Best best) {
    return best.chunk.decode(LOST);
  }

  /** The reference: the same without vectors. */
  @Benchmark
  public byte[] decodeLostScalar(Scalar scalar) {
    return scalar.chunk.decode(LOST);
  }

  /** A chunk of which nothing is lost. */
  @Benchmark
  @Reference("decodeWholeScalar")
  public byte[] decodeWhole(Best best) {
    return best.chunk.decode(0);
  }

  /** The reference: the same without vectors. */
  @Benchmark
  public byte[] decodeWholeScalar(Scalar scalar) {
    return scalar.chunk.decode(0);
  }
}

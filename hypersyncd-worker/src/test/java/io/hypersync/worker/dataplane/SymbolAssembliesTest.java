package io.hypersync.worker.dataplane;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.wire.message.ChunkSymbol;
import java.util.Arrays;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Symbols in any order, too few, too many, and lying ones. */
class SymbolAssembliesTest {
  private static final int SYMBOL_BYTES = 1_144;

  private final SymbolAssemblies assemblies = new SymbolAssemblies();
  private final SymbolsOfAChunk chunk = new SymbolsOfAChunk(1, 64 << 10, SYMBOL_BYTES);

  @ParameterizedTest(name = "lost {0} of the source symbols, {1} bytes a chunk")
  @CsvSource({"0, 65536", "1, 65536", "5, 65536", "58, 65536", "1, 9000", "0, 1", "1, 1"})
  void aChunkIsCompleteWithOneSymbolMoreThanItsSourceHas(int lost, int bytes) {
    SymbolsOfAChunk any = new SymbolsOfAChunk(2, bytes, SYMBOL_BYTES);
    int source = any.sourceSymbols();
    int needed = lost == 0 ? source : source + 1;
    int[] ids =
        IntStream.concat(
                IntStream.range(Math.min(lost, source), source),
                IntStream.range(source, source + lost + 1))
            .limit(needed)
            .toArray();
    for (int i = 0; i < needed - 1; i++) {
      assertNull(assemblies.add(any.symbol(ids[i]), 0), "symbol " + i + " of " + needed);
    }
    ReceivedBlock block = Objects.requireNonNull(assemblies.add(any.symbol(ids[needed - 1]), 0));
    assertArrayEquals(any.data, new BlockDecoder().decode(block));
    assertEquals(0, assemblies.bytes(), "nothing is kept of what is complete");
  }

  @Test
  void whatComesTwiceOrTooLateCountsAndIsNotKept() {
    assertNull(assemblies.add(chunk.symbol(3), 0));
    long one = assemblies.bytes();
    assertNull(assemblies.add(chunk.symbol(3), 0));
    assertEquals(one, assemblies.bytes());
    complete(chunk);
    assertNull(assemblies.add(chunk.symbol(chunk.sourceSymbols() + 7), 0));
    assertEquals(0, assemblies.bytes());
    assertEquals(2 + 1, assemblies.surplus(), "symbol 3 again, twice, and one of a complete chunk");
  }

  @Test
  void aSymbolThatCannotBeOfAnyChunkIsRejected() {
    ChunkSymbol good = chunk.symbol(0);
    for (ChunkSymbol bad :
        new ChunkSymbol[] {
          with(good, 65_537, SYMBOL_BYTES, 0, SYMBOL_BYTES), // longer than a chunk may be
          with(good, 65_536, 7, 0, 7), // symbols that no code has
          with(good, 65_536, 32, 0, 32), // more source symbols than a code has
          with(good, 65_536, SYMBOL_BYTES, 0, SYMBOL_BYTES - 1), // cut off
          with(good, 65_536, SYMBOL_BYTES, 0, SYMBOL_BYTES + 1),
          with(good, 65_536, SYMBOL_BYTES, ChunkSymbol.MAX_ID, SYMBOL_BYTES), // a bit set of 2 MiB
          with(good, 0, SYMBOL_BYTES, 0, SYMBOL_BYTES),
        }) {
      assertNull(assemblies.add(bad, 0), bad::toString);
      assertEquals(0, assemblies.bytes(), bad::toString);
    }
    assertEquals(7, assemblies.rejected());
  }

  @Test
  void aFloodOfSymbolsThatNobodyNeedsTakesNoMoreThanTheLimit() {
    int chunks = 40_000;
    for (int i = 0; i < chunks; i++) {
      SymbolsOfAChunk unknown = new SymbolsOfAChunk(100 + i, 2 * SYMBOL_BYTES, SYMBOL_BYTES);
      assertNull(assemblies.add(unknown.symbol(0), 0));
      assertTrue(assemblies.bytes() <= SymbolAssemblies.MOST_BYTES, "after " + i);
    }
    assertTrue(assemblies.dropped() > 0, "the oldest have made room");
    complete(chunk);
  }

  @Test
  void anotherEncodingOfTheSameChunkBeginsAnew() {
    assertNull(assemblies.add(chunk.symbol(0), 0));
    SymbolsOfAChunk smaller = new SymbolsOfAChunk(1, 64 << 10, 512);
    assertEquals(chunk.hash, smaller.hash);
    complete(smaller);
  }

  /** Exactly as many symbols as the source has are enough 99 times of 100. */
  @Test
  void whatMayBeEnoughIsTakenWhenNoMoreComes() {
    for (int id = 1; id <= chunk.sourceSymbols(); id++) {
      assertNull(assemblies.add(chunk.symbol(id), 0));
    }
    ReceivedBlock block = Objects.requireNonNull(assemblies.take(chunk.hash));
    assertArrayEquals(chunk.data, new BlockDecoder().decode(block));
    SymbolsOfAChunk other = new SymbolsOfAChunk(5, 64 << 10, SYMBOL_BYTES);
    assertNull(assemblies.add(other.symbol(0), 0));
    assertNull(assemblies.take(other.hash), "one symbol is not enough");
    assertEquals(0, assemblies.bytes(), "it comes in another way");
  }

  /** What the worker had already, or has asked for, is not kept for ever. */
  @Test
  void whatNobodyWaitsForIsForgotten() {
    assertNull(assemblies.add(chunk.symbol(0), 0));
    assemblies.expire(-1);
    assertTrue(assemblies.bytes() > 0);
    assemblies.expire(1);
    assertEquals(0, assemblies.bytes());
    assemblies.complete(chunk.hash);
    assertNull(assemblies.add(chunk.symbol(1), 2));
    assertEquals(0, assemblies.bytes(), "it is here");
  }

  @Test
  void aWrongSymbolMakesNoChunk() {
    for (int id = 1; id < chunk.sourceSymbols(); id++) {
      assertNull(assemblies.add(chunk.symbol(id), 0));
    }
    ChunkSymbol right = chunk.symbol(0);
    byte[] wrong = right.bytes().clone();
    wrong[9] ^= 1;
    ChunkSymbol forged =
        new ChunkSymbol(1, chunk.hash, right.chunkBytes(), right.symbolBytes(), 0, wrong);
    ReceivedBlock block = Objects.requireNonNull(assemblies.add(forged, 0));
    assertNull(new BlockDecoder().decode(block), "it does not match its hash");
    assemblies.failed(chunk.hash);
    complete(chunk);
  }

  private void complete(SymbolsOfAChunk any) {
    ReceivedBlock block = null;
    for (int id = 0; id < any.sourceSymbols(); id++) {
      block = assemblies.add(any.symbol(id), 0);
    }
    assertTrue(Arrays.equals(any.data, new BlockDecoder().decode(Objects.requireNonNull(block))));
  }

  private static ChunkSymbol with(
      ChunkSymbol good, int chunkBytes, int symbolBytes, int id, int bytes) {
    return new ChunkSymbol(1, good.chunk(), chunkBytes, symbolBytes, id, new byte[bytes]);
  }
}

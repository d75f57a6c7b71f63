package io.hypersync.chunkstore;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.op.ChunkRef;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ChunkerTest {

  @ParameterizedTest(name = "{0} bytes at {1} -> {2}")
  @CsvSource({
    "0,       0,   ''",
    "1,       0,   1",
    "65535,   0,   65535",
    "65536,   0,   65536",
    "65537,   0,   65536 1",
    "131072,  0,   65536 65536",
    "200000,  0,   65536 65536 65536 3392",
    "65536,   100, 65536",
    "70000,   7,   65536 4464"
  })
  void splitsIntoChunksOfAtMost64Kib(int length, int offset, String expectedLengths) {
    byte[] buffer = random(offset + length + 10);
    List<Chunk> chunks = Chunker.split(buffer, offset, length);
    assertEquals(
        expectedLengths,
        chunks.stream().map(c -> "" + c.bytes().length).collect(Collectors.joining(" ")));
    ByteArrayOutputStream joined = new ByteArrayOutputStream();
    for (Chunk chunk : chunks) {
      joined.writeBytes(chunk.bytes());
      assertEquals(Blake3.hash(chunk.bytes()), chunk.hash());
      assertEquals(new ChunkRef(chunk.hash(), chunk.bytes().length), chunk.ref());
    }
    assertArrayEquals(
        Arrays.copyOfRange(buffer, offset, offset + length),
        joined.toByteArray(),
        "the chunks in order are the buffer's bytes");
  }

  @Test
  void theBufferMayBeUsedAgain() {
    byte[] buffer = random(1000);
    Chunk chunk = Chunker.split(buffer, 0, buffer.length).getFirst();
    Arrays.fill(buffer, (byte) 0);
    assertTrue(chunk.isIntact(), "a chunk has its own copy");
  }

  @Test
  void rejectsARangeOutsideTheBuffer() {
    assertThrows(IndexOutOfBoundsException.class, () -> Chunker.split(new byte[10], 5, 6));
  }

  @Test
  void aChunkIsItsHash() {
    Chunk chunk = Chunk.of(random(10));
    assertEquals(chunk, Chunk.of(chunk.bytes().clone()));
    assertEquals(chunk.hashCode(), Chunk.of(chunk.bytes().clone()).hashCode());
    assertEquals(false, new Chunk(Hash.ZERO, chunk.bytes()).isIntact());
    assertThrows(IllegalArgumentException.class, () -> Chunk.of(new byte[65_537]));
  }

  private static byte[] random(int length) {
    byte[] bytes = new byte[length];
    new Random(1).nextBytes(bytes);
    return bytes;
  }
}

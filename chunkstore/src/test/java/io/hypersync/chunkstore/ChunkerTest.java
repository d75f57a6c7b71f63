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

  @ParameterizedTest(name = "{0} bytes -> {1}")
  @CsvSource({
    "0,       ''",
    "1,       1",
    "65535,   65535",
    "65536,   65536",
    "65537,   65536 1",
    "131072,  65536 65536",
    "200000,  65536 65536 65536 3392",
    "70000,   65536 4464"
  })
  void splitsIntoChunksOfAtMost64Kib(int length, String expectedLengths) {
    byte[] buffer = random(length);
    List<Chunk> chunks = Chunker.split(buffer);
    assertEquals(
        expectedLengths,
        chunks.stream().map(c -> "" + c.bytes().length).collect(Collectors.joining(" ")));
    ByteArrayOutputStream joined = new ByteArrayOutputStream();
    for (Chunk chunk : chunks) {
      joined.writeBytes(chunk.bytes());
      assertEquals(Blake3.hash(chunk.bytes()), chunk.hash());
      assertEquals(new ChunkRef(chunk.hash(), chunk.bytes().length), chunk.ref());
    }
    assertArrayEquals(buffer, joined.toByteArray(), "the chunks in order are the buffer's bytes");
  }

  @Test
  void aBufferOfSeveralChunksMayBeUsedAgain() {
    byte[] buffer = random(Chunker.MAX_CHUNK_BYTES + 1);
    List<Chunk> chunks = Chunker.split(buffer);
    Arrays.fill(buffer, (byte) 0);
    assertTrue(chunks.stream().allMatch(Chunk::isIntact), "a chunk has its own copy");
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

package io.hypersync.model.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.trie.MerkleTrie;
import io.hypersync.model.trie.RootVersion;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class FileContentTest {
  private static final int FILE_BYTES = 300;

  /** The chunk that holds one byte of a file, and the offset in it. */
  private record Place(Hash chunk, int offset) {}

  static IntStream seeds() {
    return IntStream.rangeClosed(1, 40);
  }

  /**
   * The model has, for every byte of the file, its place or null. That alone determines the
   * normalised extents: the longest runs of consecutive bytes in one chunk.
   */
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void isTheNormalFormOfAnArrayOfBytes(long seed) {
    Random random = new Random(seed);
    @Nullable Place[] model = new Place[FILE_BYTES];
    FileContent content = FileContent.EMPTY;
    for (int step = 0; step < 500; step++) {
      String where = "seed " + seed + " step " + step;
      int from = random.nextInt(FILE_BYTES);
      if (random.nextInt(4) == 0) {
        boolean toTheEnd = random.nextInt(4) == 0;
        int to = toTheEnd ? FILE_BYTES : from + random.nextInt(FILE_BYTES - from);
        content = content.clear(from, toTheEnd ? Long.MAX_VALUE : to);
        Arrays.fill(model, from, to, null);
      } else {
        List<ChunkRef> chunks = randomChunks(random, FILE_BYTES - from);
        content = content.write(from, chunks);
        write(model, from, chunks);
      }
      assertEquals(normalForm(model), describe(content.extents().iterator()), where);
      assertEquals(
          Arrays.stream(model).filter(place -> place != null).count(),
          content.allocated(),
          where + " allocated");
      assertEquals(
          rebuilt(content).root(RootVersion.LATEST),
          content.extents().root(RootVersion.LATEST),
          where + " root without a history");
      int probe = random.nextInt(FILE_BYTES);
      assertEquals(
          describe(content.extents().iterator()).stream()
              .filter(extent -> end(extent) > probe)
              .toList(),
          describe(content.from(probe)),
          where + " from " + probe);
    }
  }

  @Test
  void clearingAHoleChangesNothing() {
    FileContent content = FileContent.EMPTY.write(100, List.of(chunk("a", 10)));
    assertSame(content, content.clear(0, 100), "before");
    assertSame(content, content.clear(110, Long.MAX_VALUE), "behind");
    assertSame(content, content.clear(105, 105), "nothing");
  }

  @ParameterizedTest(name = "[{0}, {1})")
  @CsvSource(
      delimiter = '|',
      value = {
        "0   | 100 | ",
        "0   | 5   | 5+5 a@5; 10+10 b@0",
        "3   | 7   | 0+3 a@0; 7+3 a@7; 10+10 b@0",
        "5   | 15  | 0+5 a@0; 15+5 b@5",
        "0   | 10  | 10+10 b@0",
        "10  | 20  | 0+10 a@0",
        "19  | 20  | 0+10 a@0; 10+9 b@0",
        "20  | 99  | 0+10 a@0; 10+10 b@0",
      })
  void cutsExtents(long from, long to, @Nullable String rest) {
    FileContent content =
        FileContent.EMPTY.write(0, List.of(chunk("a", 10), chunk("b", 10))).clear(from, to);
    Map<Hash, String> names = Map.of(chunk("a", 1).hash(), "a", chunk("b", 1).hash(), "b");
    List<String> extents = new ArrayList<>();
    for (Extent extent : content.extents()) {
      extents.add(
          extent.offset()
              + "+"
              + extent.length()
              + " "
              + names.get(extent.chunk())
              + "@"
              + extent.chunkOffset());
    }
    assertEquals(rest == null ? "" : rest, String.join("; ", extents));
  }

  @Test
  void reachesToTheLastOffset() {
    long last = Long.MAX_VALUE - 10;
    FileContent content = FileContent.EMPTY.write(last, List.of(chunk("a", 10)));
    assertEquals(Long.MAX_VALUE, content.extents().iterator().next().end());
    assertEquals(4, content.clear(last + 4, Long.MAX_VALUE).allocated());
    assertEquals(0, content.clear(0, Long.MAX_VALUE).allocated());
  }

  private static void write(@Nullable Place[] model, int from, List<ChunkRef> chunks) {
    int at = from;
    for (ChunkRef chunk : chunks) {
      for (int i = 0; i < chunk.length(); i++) {
        model[at++] = new Place(chunk.hash(), i);
      }
    }
  }

  /** Few hashes with any length, so that adjacent ranges are sometimes contiguous in one chunk. */
  private static List<ChunkRef> randomChunks(Random random, int room) {
    List<ChunkRef> chunks = new ArrayList<>();
    int left = room;
    do {
      int length = 1 + random.nextInt(Math.min(left, 40));
      chunks.add(chunk("chunk " + random.nextInt(3), length));
      left -= length;
    } while (left > 0 && random.nextInt(3) != 0);
    return chunks;
  }

  private static List<String> normalForm(@Nullable Place[] model) {
    List<String> extents = new ArrayList<>();
    int at = 0;
    while (at < model.length) {
      Place start = model[at];
      if (start == null) {
        at++;
        continue;
      }
      int length = 1;
      while (at + length < model.length
          && new Place(start.chunk, start.offset + length).equals(model[at + length])) {
        length++;
      }
      extents.add(describe(at, length, start.chunk, start.offset));
      at += length;
    }
    return extents;
  }

  private static List<String> describe(Iterator<Extent> extents) {
    List<String> list = new ArrayList<>();
    extents.forEachRemaining(
        e -> list.add(describe(e.offset(), e.length(), e.chunk(), e.chunkOffset())));
    return list;
  }

  private static String describe(long offset, int length, Hash chunk, int chunkOffset) {
    return offset + " " + length + " " + chunk + " " + chunkOffset;
  }

  private static long end(String extent) {
    String[] parts = extent.split(" ", -1);
    return Long.parseLong(parts[0]) + Long.parseLong(parts[1]);
  }

  private static MerkleTrie<Extent> rebuilt(FileContent content) {
    Map<Long, Extent> shuffled = new HashMap<>();
    content.extents().forEach(extent -> shuffled.put(extent.offset() * 7919 % 1009, extent));
    MerkleTrie<Extent> rebuilt = MerkleTrie.empty();
    for (Extent e : shuffled.values()) {
      rebuilt = rebuilt.with(new Extent(e.offset(), e.length(), e.chunk(), e.chunkOffset()));
    }
    return rebuilt;
  }

  private static ChunkRef chunk(String name, int length) {
    return new ChunkRef(Blake3.hash(name.getBytes(StandardCharsets.UTF_8)), length);
  }
}

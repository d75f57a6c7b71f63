package io.hypersync.leader.session;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Slices and eviction of the newest entries in memory. */
class TailCacheTest {
  @ParameterizedTest
  @CsvSource({
    // from, to, bytes, first, last
    "1, 10, 1000, 1, 10",
    "3, 3, 1000, 3, 3",
    "9, 10, 1000, 9, 10",
    "1, 10, 25, 1, 3",
    "8, 10, 1, 8, 8",
    "6, 10, 1000, 6, 10",
    "7, 9, 1000, 7, 9",
  })
  void slicesAreWhatTheySay(long from, long to, int bytes, int first, int last) {
    TailCache cache = new TailCache(1, 1_000);
    for (int i = 1; i <= 10; i++) {
      cache.add(entry(i), 10);
    }
    List<byte[]> slice = cache.slice(from, to, bytes);
    assertEquals(first, slice.getFirst()[0]);
    assertEquals(last, slice.getLast()[0]);
    assertEquals(last - first + 1, slice.size());
  }

  @Test
  void oldEntriesGoWhenItIsFull() {
    TailCache cache = new TailCache(5, 30);
    for (int i = 5; i <= 10; i++) {
      cache.add(entry(i), i);
    }
    assertEquals(8, cache.firstIndex());
    assertEquals(8, cache.slice(8, 10, 1_000).getFirst()[0]);
  }

  @Test
  void whatIsNotDurableStaysWhateverTheLimit() {
    TailCache cache = new TailCache(1, 30);
    for (int i = 1; i <= 10; i++) {
      cache.add(entry(i), 2);
    }
    assertEquals(3, cache.firstIndex());
  }

  @Test
  void anEmptyCacheBeginsWithTheNextEntry() {
    assertEquals(7, new TailCache(7, 100).firstIndex());
  }

  private static byte[] entry(int index) {
    byte[] bytes = new byte[10];
    bytes[0] = (byte) index;
    return bytes;
  }
}

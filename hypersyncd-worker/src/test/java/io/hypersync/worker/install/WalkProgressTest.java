package io.hypersync.worker.install;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is said of a tree before all of it was seen. */
class WalkProgressTest {
  private final WalkProgress progress = new WalkProgress();
  private final ArrayDeque<int[]> pending = new ArrayDeque<>();
  private int named;

  @Test
  void aManifestWithoutPagesIsDone() {
    progress.begun();
    assertEquals(0, progress.pagesInAll());
    assertEquals(0, progress.bytesInAll());
  }

  /** 1 + 3 + 9 + 27 pages. */
  @Test
  void ofARegularTreeTheSizeIsSeenLongBeforeTheEnd() {
    List<Long> estimates = new ArrayList<>();
    begin(3);
    while (read(3)) {
      estimates.add(progress.pagesInAll());
    }
    assertEquals(List.of(4L, 7L, 10L), estimates.subList(0, 3), "what is known to be there");
    assertEquals(List.of(108L, 68L, 54L), estimates.subList(3, 6), "leaves come, and weigh less");
    assertEquals(40, progress.pages());
    for (int i = 13; i < 40; i++) { // from a third of it on
      assertEquals(40, estimates.get(i), 10, i + ": " + estimates);
    }
    assertEquals(40L, estimates.getLast());
  }

  @Test
  void whatIsKnownToBeThereIsTheLeast() {
    progress.found(hash());
    progress.begun();
    Hash top = lastHash();
    for (int i = 0; i < 1_000; i++) {
      progress.found(hash());
    }
    progress.read(top, 4_000);
    assertEquals(1_001, progress.pagesInAll());
    assertEquals(4_000 * 1_001, progress.bytesInAll());
  }

  @Test
  void atTheEndItIsExact() {
    begin(6);
    while (read(2)) {
      assertTrue(progress.pagesInAll() >= progress.pages());
    }
    assertEquals(progress.pages(), progress.pagesInAll());
    assertEquals(progress.bytes(), progress.bytesInAll());
    assertEquals(1_000 * progress.pages(), progress.bytes());
  }

  /** A page on top with so many levels below it. */
  private void begin(int levels) {
    progress.found(hash());
    pending.push(new int[] {named, levels});
    progress.begun();
  }

  /** Reads the next page, which leads to three unless it is on the lowest level. */
  private boolean read(int children) {
    int[] next = pending.poll();
    if (next == null) {
      return false;
    }
    for (int i = 0; i < (next[1] > 0 ? children : 0); i++) {
      progress.found(hash());
      pending.push(new int[] {named, next[1] - 1});
    }
    progress.read(hash(next[0]), 1_000);
    return true;
  }

  private Hash hash() {
    named++;
    return lastHash();
  }

  private Hash lastHash() {
    return hash(named);
  }

  private static Hash hash(int name) {
    return Blake3.hash(ByteBuffer.allocate(4).putInt(name).array());
  }
}

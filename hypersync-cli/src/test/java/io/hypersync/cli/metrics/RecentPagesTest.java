package io.hypersync.cli.metrics;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.fixtures.ManualClock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class RecentPagesTest {
  private final ManualClock clock = new ManualClock(1_000);
  private final AtomicInteger made = new AtomicInteger();
  private final ExecutorService threads = Executors.newCachedThreadPool();

  @AfterEach
  void end() {
    threads.shutdownNow();
  }

  private RecentPages.Page page() {
    return new RecentPages.Page(
        new byte[] {(byte) made.incrementAndGet()}, clock.monotonicNs() + 100);
  }

  @Test
  void aPageIsGivenAgainWhileItIsFreshAndEachFormatHasItsOwn() {
    RecentPages<String> pages = new RecentPages<>(_ -> page(), clock);
    assertArrayEquals(new byte[] {1}, pages.get("text").orElseThrow());
    clock.advance(99);
    assertArrayEquals(new byte[] {1}, pages.get("text").orElseThrow());
    assertArrayEquals(new byte[] {2}, pages.get("other").orElseThrow());
    clock.advance(1);
    assertArrayEquals(new byte[] {3}, pages.get("text").orElseThrow());
    assertArrayEquals(new byte[] {2}, pages.get("other").orElseThrow());
  }

  @Test
  void oneThreadAtATimeMakesAPageAndOthersGetTheSameOne() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    RecentPages<String> pages =
        new RecentPages<>(
            _ -> {
              begun.countDown();
              await(go);
              return page();
            },
            clock);
    List<Future<Optional<byte[]>>> all = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      all.add(threads.submit(() -> pages.get("text")));
    }
    begun.await();
    go.countDown();
    for (Future<Optional<byte[]>> each : all) {
      assertArrayEquals(new byte[] {1}, each.get().orElseThrow());
    }
    assertEquals(1, made.get());
  }

  @Test
  void whoWaitsForTooLongGetsNothing() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    RecentPages<String> pages =
        new RecentPages<>(
            _ -> {
              begun.countDown();
              await(go);
              return page();
            },
            clock);
    Future<Optional<byte[]>> first = threads.submit(() -> pages.get("text"));
    begun.await();
    assertEquals(Optional.empty(), pages.get("other"));
    go.countDown();
    assertTrue(first.get().isPresent());
  }

  @Test
  void aFailureKeepsNobodyWaiting() {
    RecentPages<String> pages =
        new RecentPages<>(
            _ -> {
              if (made.getAndIncrement() == 0) {
                throw new IllegalStateException("once");
              }
              return page();
            },
            clock);
    assertThrows(IllegalStateException.class, () -> pages.get("text"));
    assertTrue(pages.get("text").isPresent());
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}

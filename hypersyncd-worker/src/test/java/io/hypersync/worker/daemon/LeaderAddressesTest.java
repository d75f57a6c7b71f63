package io.hypersync.worker.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Where the leader may be, and in which order that is tried. */
@Timeout(30)
final class LeaderAddressesTest {
  private static final InetSocketAddress A = InetSocketAddress.createUnresolved("127.0.0.1", 1);
  private static final InetSocketAddress B = InetSocketAddress.createUnresolved("127.0.0.1", 2);
  private static final InetSocketAddress C = InetSocketAddress.createUnresolved("127.0.0.1", 3);

  @Test
  void eachIsTriedOnceBeforeThereIsAPause() {
    try (LeaderAddresses leader = new LeaderAddresses(List.of(A, B, C))) {
      List<String> tried = new ArrayList<>(List.of(leader.text()));
      List<Boolean> atOnce = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        atOnce.add(leader.next());
        tried.add(leader.text());
      }
      assertEquals(List.of(true, true, false, true, true, false), atOnce);
      assertEquals(
          List.of(
              "127.0.0.1:1",
              "127.0.0.1:2",
              "127.0.0.1:3",
              "127.0.0.1:1",
              "127.0.0.1:2",
              "127.0.0.1:3",
              "127.0.0.1:1"),
          tried);
    }
  }

  @Test
  void whoHasAnsweredIsTriedFirstWhenTheConnectionIsLost() {
    try (LeaderAddresses leader = new LeaderAddresses(List.of(A, B, C))) {
      assertTrue(leader.next());
      leader.settled();
      assertEquals("127.0.0.1:2", leader.text());
      assertTrue(leader.next());
      assertTrue(leader.next(), "and all the others before there is a pause");
      assertFalse(leader.next());
    }
  }

  @Test
  void aSingleOneIsTriedAgainAfterAPause() {
    try (LeaderAddresses leader = new LeaderAddresses(List.of(A))) {
      assertFalse(leader.next());
      assertEquals("127.0.0.1:1", leader.text());
      assertEquals(1, leader.size());
    }
  }

  /** With the name service away, the leader is found by its other name. */
  @Test
  void aNameThatHangsDoesNotKeepAnybodyFromTheNextOne() throws Exception {
    CountDownLatch forEver = new CountDownLatch(1);
    LeaderName hangs =
        new LeaderName(
            A,
            name -> {
              try {
                forEver.await();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
              return name;
            });
    BlockingQueue<InetSocketAddress> found = new LinkedBlockingQueue<>();
    ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();
    try (LeaderAddresses leader =
        new LeaderAddresses(List.of(A, B), List.of(hangs, LeaderName.of(B)))) {
      thread.execute(() -> leader.lookUp(thread, found::add));
      InetSocketAddress none = found.poll(10, TimeUnit.SECONDS);
      assertTrue(none != null && none.isUnresolved());
      thread.execute(
          () -> {
            leader.next();
            leader.lookUp(thread, found::add);
          });
      InetSocketAddress next = found.poll(10, TimeUnit.SECONDS);
      assertTrue(next != null && !next.isUnresolved());
      assertEquals(2, next.getPort());
      // It is not asked a second time while it hangs.
      thread.execute(
          () -> {
            leader.next();
            leader.lookUp(thread, found::add);
          });
      InetSocketAddress again = found.poll(1, TimeUnit.SECONDS);
      assertTrue(again != null && again.isUnresolved());
    } finally {
      thread.shutdownNow();
    }
  }
}

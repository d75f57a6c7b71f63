package io.hypersync.worker.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class LeaderNameTest {
  private final BlockingQueue<InetSocketAddress> found = new LinkedBlockingQueue<>();

  @Test
  void nobodyWaitsForANameServerThatDoesNotAnswer() throws Exception {
    CountDownLatch answers = new CountDownLatch(1);
    try (LeaderName name =
            new LeaderName(
                InetSocketAddress.createUnresolved("leader.example", 7433),
                unresolved -> {
                  try {
                    answers.await();
                  } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                  }
                  return new InetSocketAddress(
                      InetAddress.getLoopbackAddress(), unresolved.getPort());
                });
        ExecutorService agent = Executors.newSingleThreadExecutor()) {
      agent.submit(() -> name.lookUp(agent, found::add)).get();
      // the thread is free for other tasks during the lookup
      agent.submit(() -> assertTrue(found.isEmpty())).get();
      answers.countDown();
      assertEquals(new InetSocketAddress(InetAddress.getLoopbackAddress(), 7433), found.take());
    }
  }

  @Test
  void aNumberIsAnAddress() throws Exception {
    try (LeaderName name = LeaderName.of(InetSocketAddress.createUnresolved("127.0.0.1", 1))) {
      name.lookUp(Runnable::run, found::add);
      assertFalse(found.take().isUnresolved());
    }
  }

  @Test
  void aNameThatNobodyHasStaysUnresolved() throws Exception {
    try (LeaderName name =
        LeaderName.of(InetSocketAddress.createUnresolved("no.such.host.invalid", 1))) {
      name.lookUp(Runnable::run, found::add);
      assertTrue(found.take().isUnresolved());
      assertEquals("no.such.host.invalid", name.text());
    }
  }

  @Test
  void aLookupThatFailsIsNoLookupThatNeverEnds() throws Exception {
    try (LeaderName name =
        new LeaderName(
            InetSocketAddress.createUnresolved("leader.example", 7433),
            unresolved -> {
              throw new IllegalArgumentException("a fault of the resolver");
            })) {
      for (int i = 0; i < 2; i++) {
        name.lookUp(Runnable::run, found::add);
        assertTrue(found.take().isUnresolved(), "time " + i);
      }
    }
  }
}

package io.hypersync.runtime.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who runs a task, and in which order. */
@Timeout(60)
final class CallerRunsExecutorTest {
  /** Long enough for a task that does not wait to be seen. */
  private static final long PAUSE_NS = 20_000_000;

  private final ScheduledExecutorService home = Executors.newSingleThreadScheduledExecutor();
  private final CallerRunsExecutor agents = new CallerRunsExecutor(home);
  private final List<String> ran = Collections.synchronizedList(new ArrayList<>());

  @AfterEach
  void end() {
    home.shutdownNow();
    home.close();
  }

  private String here() {
    return agents.isCaller() ? "caller" : "home";
  }

  private Runnable task(String name) {
    return () -> ran.add(name + " by " + here());
  }

  private void awaitHome() throws Exception {
    home.submit(() -> {}).get();
    home.submit(() -> {}).get(); // what the tasks before have handed over
  }

  @Test
  void aCallerRunsItsTaskAndThoseThatItMakesWhileTheAgentsRest() throws Exception {
    agents.runOrExecute(
        () -> {
          agents.execute(task("second"));
          agents.execute(task("third"));
          task("first").run();
        });
    ran.add("returned");
    awaitHome();
    assertEquals(
        List.of("first by caller", "second by caller", "third by caller", "returned"), ran);
    assertFalse(agents.isCaller());
  }

  @Test
  void whatIsExecutedByOthersRunsAtHome() throws Exception {
    agents.execute(task("it"));
    awaitHome();
    assertEquals(List.of("it by home"), ran);
  }

  @Test
  void aCallerNeverWaitsForAnOwner() throws Exception {
    CountDownLatch owned = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    agents.execute(
        () -> {
          owned.countDown();
          awaitQuietly(goOn);
          ran.add("the first one ends");
        });
    owned.await();
    agents.runOrExecute(task("second"));
    ran.add("returned");
    goOn.countDown();
    awaitHome();
    assertEquals(List.of("returned", "the first one ends", "second by home"), ran);
  }

  @Test
  void homeWaitsForACallerThatOwnsTheAgents() throws Exception {
    CountDownLatch brought = new CountDownLatch(1);
    agents.runOrExecute(
        () -> {
          home.execute(
              () -> {
                brought.countDown();
                agents.owned(task("from the network"));
              });
          awaitQuietly(brought);
          ran.add("the caller goes on");
        });
    awaitHome();
    assertEquals(List.of("the caller goes on", "from the network by home"), ran);
  }

  @Test
  void whatOnlyHomeMayDoComesBeforeAllElseThatHomeDoes() throws Exception {
    CountDownLatch brought = new CountDownLatch(1);
    agents.runOrExecute(
        () -> {
          home.execute(
              () -> {
                brought.countDown();
                agents.owned(task("from the network"));
              });
          awaitQuietly(brought);
          agents.atHome(task("sent"));
          assertTrue(agents.hasPutOff());
          task("it").run();
        });
    awaitHome();
    assertEquals(List.of("it by caller", "sent by home", "from the network by home"), ran);
  }

  @Test
  void whatOnlyHomeMayDoIsDoneAtOnceAtHome() throws Exception {
    agents.execute(
        () -> {
          agents.atHome(task("sent"));
          task("it").run();
        });
    awaitHome();
    assertEquals(List.of("sent by home", "it by home"), ran);
  }

  @Test
  void aTaskIsNeverRunWithinAnother() throws Exception {
    agents.execute(
        () -> {
          agents.runOrExecute(task("inner"));
          ran.add("outer ends");
        });
    awaitHome();
    agents.runOrExecute(
        () -> {
          agents.runOrExecute(task("inner"));
          ran.add("outer ends");
        });
    assertEquals(List.of("outer ends", "inner by home", "outer ends", "inner by caller"), ran);
  }

  @Test
  void aCallerGoesBackAfterAWhileAndTheRestRunsAtHomeInOrder() throws Exception {
    int many = 100;
    agents.runOrExecute(() -> IntStream.range(0, many).forEach(i -> agents.execute(task("" + i))));
    awaitHome();
    assertEquals(many, ran.size());
    int byCaller = 0;
    for (int i = 0; i < many; i++) {
      assertTrue(ran.get(i).startsWith(i + " "), ran::toString);
      byCaller += ran.get(i).endsWith("caller") ? 1 : 0;
    }
    assertEquals(32, byCaller);
  }

  @Test
  void aTaskThatThrowsGivesTheAgentsBack() throws Exception {
    agents.runOrExecute(
        () -> {
          agents.execute(task("the next one"));
          throw new IllegalStateException("as it should");
        });
    agents.execute(
        () -> {
          throw new IllegalStateException("as it should, at home");
        });
    awaitHome();
    agents.runOrExecute(task("a later one"));
    assertEquals(List.of("the next one by caller", "a later one by caller"), ran);
  }

  /**
   * Many callers, and a network that brings things, all the time: one owner at a time, nothing is
   * lost, what one thread has brought runs in its order if it was brought in one way, and home's
   * own things stay in the order in which owners have put them off.
   */
  @Test
  void underLoadThereIsOneOwnerAndNothingIsLost() throws Exception {
    long seed = System.nanoTime();
    int threads = 6;
    int each = 20_000;
    int[] runs = {0}; // not atomic: one owner at a time
    int[] sends = {0};
    List<Integer> sent = new ArrayList<>(); // at home
    AtomicInteger owners = new AtomicInteger();
    AtomicInteger callers = new AtomicInteger();
    @Nullable Throwable[] wrong = new Throwable[1];
    Runnable one =
        () -> {
          if (owners.incrementAndGet() != 1) {
            wrong[0] = new AssertionError("two owners");
          }
          runs[0]++;
          callers.addAndGet(agents.isCaller() ? 1 : 0);
          int number = sends[0]++;
          agents.atHome(() -> sent.add(number));
          owners.decrementAndGet();
        };
    CyclicBarrier together = new CyclicBarrier(threads);
    List<Thread> all =
        IntStream.range(0, threads)
            .mapToObj(
                t ->
                    Thread.ofPlatform()
                        .start(
                            () -> {
                              Random random = new Random(seed + t);
                              try {
                                together.await();
                              } catch (Exception e) {
                                wrong[0] = e;
                              }
                              for (int i = 0; i < each; i++) {
                                switch (random.nextInt(4)) {
                                  case 0 -> agents.execute(one);
                                  case 1 -> home.execute(() -> agents.owned(one));
                                  default -> agents.runOrExecute(one);
                                }
                              }
                            }))
            .toList();
    for (Thread thread : all) {
      thread.join();
    }
    awaitHome();
    assertEquals(null, wrong[0], () -> "seed " + seed);
    assertEquals(threads * each, runs[0], () -> "seed " + seed);
    assertTrue(callers.get() > 0, "no caller ever was the owner");
    assertTrue(callers.get() < runs[0], "home never was the owner");
    assertEquals(IntStream.range(0, runs[0]).boxed().toList(), sent, () -> "order, seed " + seed);
  }

  @Test
  void scheduledTasksAreOwned() throws Exception {
    CountDownLatch done = new CountDownLatch(1);
    agents.runOrExecute(
        () -> {
          var _ =
              agents.schedule(
                  () -> {
                    task("later").run();
                    done.countDown();
                  },
                  0,
                  TimeUnit.NANOSECONDS);
          LockSupport.parkNanos(PAUSE_NS);
          ran.add("the caller ends");
        });
    done.await();
    assertEquals(List.of("the caller ends", "later by home"), ran);
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

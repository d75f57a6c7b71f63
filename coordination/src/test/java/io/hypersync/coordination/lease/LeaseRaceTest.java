package io.hypersync.coordination.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.coordination.cas.file.FileCasStore;
import io.hypersync.runtime.agent.Clock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Threads with real clocks race for a lease in files. */
@Timeout(120)
final class LeaseRaceTest {
  private static final long MS = 1_000_000;
  private static final String KEY = "background";

  @TempDir Path temp;

  private final ExecutorService threads = Executors.newCachedThreadPool();

  @AfterEach
  void end() {
    threads.shutdownNow();
  }

  private BackgroundLease process(int number, LeaseTimes times) {
    return new BackgroundLease(
        KEY, "p" + number, number, times, new FileCasStore(temp, Clock.SYSTEM), Clock.SYSTEM);
  }

  private <T> List<T> all(List<Callable<T>> work) throws Exception {
    List<T> results = new ArrayList<>();
    for (Future<T> one : threads.invokeAll(work, 100, TimeUnit.SECONDS)) {
      results.add(one.get());
    }
    return results;
  }

  private List<BackgroundLease> processes(int count, LeaseTimes times) {
    List<BackgroundLease> processes = new ArrayList<>();
    for (int i = 1; i <= count; i++) {
      processes.add(process(i, times));
    }
    return processes;
  }

  private long turnOfAll(List<BackgroundLease> processes) throws Exception {
    List<Callable<Boolean>> turns = new ArrayList<>();
    CyclicBarrier together = new CyclicBarrier(processes.size());
    for (BackgroundLease process : processes) {
      turns.add(
          () -> {
            together.await();
            process.turn();
            return process.mayWork();
          });
    }
    return all(turns).stream().filter(held -> held).count();
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 8})
  void ofManyThatComeAtOnceOneHoldsIt(int count) throws Exception {
    for (int round = 0; round < 20; round++) {
      Files.deleteIfExists(temp.resolve(KEY + ".record"));
      assertEquals(1, turnOfAll(processes(count, LeaseTimes.DEFAULT)), "round " + round);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 8})
  void ofManyThatSeeItReleasedOneTakesIt(int count) throws Exception {
    for (int round = 0; round < 20; round++) {
      BackgroundLease before = process(100, LeaseTimes.DEFAULT);
      before.turn();
      List<BackgroundLease> processes = processes(count, LeaseTimes.DEFAULT);
      assertTrue(before.mayWork(), "round " + round);
      assertEquals(0, turnOfAll(processes), "round " + round);
      before.release();
      assertEquals(1, turnOfAll(processes), "round " + round);
      processes.forEach(BackgroundLease::release);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 8})
  void ofManyThatSeeItExpireOneTakesIt(int count) throws Exception {
    LeaseTimes times = new LeaseTimes(400 * MS, 100 * MS, 50 * MS);
    for (int round = 0; round < 5; round++) {
      BackgroundLease before = process(100, times);
      before.turn();
      assertTrue(before.mayWork(), "round " + round);
      List<BackgroundLease> processes = processes(count, times);
      turnOfAll(processes);
      TimeUnit.MILLISECONDS.sleep(450);
      long held = turnOfAll(processes);
      assertTrue(held <= 1, held + " in round " + round); // none, if this machine has slept since
      processes.forEach(BackgroundLease::release);
      before.release();
    }
  }

  /** Each works while it may, and gives the lease to others now and then. */
  @ParameterizedTest
  @ValueSource(ints = {2, 8})
  void neverDoTwoWorkAtOnce(int count) throws Exception {
    // So long a time that no pause of this machine between question and deed is longer.
    LeaseTimes times = new LeaseTimes(20_000 * MS, 100 * MS, 2 * MS);
    AtomicInteger working = new AtomicInteger();
    AtomicInteger together = new AtomicInteger();
    long endNs = System.nanoTime() + 3_000 * MS;
    List<Callable<Integer>> all = new ArrayList<>();
    for (int i = 1; i <= count; i++) {
      int number = i;
      all.add(
          () -> {
            int jobs = 0;
            while (System.nanoTime() < endNs) {
              BackgroundLease lease = process(number + 10 * jobs, times);
              while (!lease.mayWork() && System.nanoTime() < endNs) {
                TimeUnit.NANOSECONDS.sleep(lease.turn());
              }
              if (lease.mayWork()) {
                jobs++;
                if (working.incrementAndGet() > 1) {
                  together.incrementAndGet();
                }
                TimeUnit.MILLISECONDS.sleep(1);
                working.decrementAndGet();
              }
              lease.release();
            }
            return jobs;
          });
    }
    List<Integer> jobs = all(all);
    assertEquals(0, together.get());
    assertTrue(jobs.stream().mapToInt(Integer::intValue).sum() > count, jobs::toString);
  }
}

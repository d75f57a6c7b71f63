package io.hypersync.cli.practice;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Practises on a thread of its own, beside the daemon's start, until that does not help any more or
 * takes too long. Nothing of it is shared with the daemon but the code, so whatever goes wrong in
 * it ends it, and the daemon serves without.
 */
public final class Practice implements AutoCloseable {
  /** The name of its thread, by which its agents' lines are kept out of the log. */
  public static final String THREAD = "practice";

  private static final Logger LOG = LoggerFactory.getLogger(Practice.class);

  private final long deadlineNs;
  private final Progress progress;
  private final CountDownLatch done = new CountDownLatch(1);
  private volatile boolean ending;
  private volatile long mutations;

  private Practice(Duration limit, long nowNs) {
    this.deadlineNs = nowNs + limit.toNanos();
    this.progress = new Progress(nowNs);
  }

  /**
   * Begins; returns at once.
   *
   * @param limit after which it ends; zero for none at all
   */
  public static Practice begin(Duration limit) {
    Practice practice = new Practice(limit, System.nanoTime());
    if (limit.isZero()) {
      practice.done.countDown();
      return practice;
    }
    Thread _ = Thread.ofPlatform().name(THREAD).daemon().start(practice::run);
    return practice;
  }

  private void run() {
    long beganNs = System.nanoTime();
    try {
      Rehearsal rehearsal = new Rehearsal();
      rehearsal.begin();
      long made = 0;
      while (!ending && System.nanoTime() - deadlineNs < 0) {
        made += rehearsal.round();
        mutations = made;
        if (progress.roundEnded(System.nanoTime())) {
          break;
        }
      }
      LOG.debug(
          "practised {} mutations in {} ms",
          mutations,
          TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beganNs));
    } catch (InterruptedException | RuntimeException | Error e) {
      LOG.warn("practice has ended early, the first calls may take longer", e);
    } finally {
      done.countDown();
    }
  }

  /** Waits until it has ended, which is soon after its limit at the latest. */
  public void await() throws InterruptedException {
    done.await();
  }

  /** How many mutations were made. */
  long mutations() {
    return mutations;
  }

  /** Ends it after the round that it is in; returns at once. */
  public void end() {
    ending = true;
  }

  @Override
  public void close() {
    end();
  }
}

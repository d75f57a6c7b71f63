package io.hypersync.e2e.harness;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** Waits for asynchronous effects by polling. */
public final class Await {
  /** Far longer than any wait should take, because machines that run tests may be busy. */
  public static final Duration LIMIT = Duration.ofSeconds(90);

  private static final int POLL_MS = 10;

  private Await() {}

  /** Waits until the condition holds; a condition that throws does not hold yet. */
  public static void until(String what, Callable<Boolean> condition) throws InterruptedException {
    long deadlineNs = System.nanoTime() + LIMIT.toNanos();
    @Nullable Exception last = null;
    while (System.nanoTime() - deadlineNs < 0) {
      try {
        if (condition.call()) {
          return;
        }
        last = null;
      } catch (InterruptedException interrupted) {
        throw interrupted;
      } catch (Exception notYet) {
        last = notYet;
      }
      Thread.sleep(POLL_MS);
    }
    throw missed("not within " + LIMIT.toSeconds() + " s: " + what, last);
  }

  /**
   * The failure of what took too long, with what the threads of all daemons are doing meanwhile: it
   * stands in the trace of the failure, not in its message.
   *
   * @param last the last exception of what was waited for; null if it has thrown none
   */
  static AssertionError missed(String what, @Nullable Throwable last) throws InterruptedException {
    AssertionError missed = new AssertionError(what, last);
    String threads = DaemonJvm.threadsOfAll();
    if (!threads.isEmpty()) {
      missed.addSuppressed(new DaemonThreads(threads));
    }
    return missed;
  }

  /** Not thrown: carries text into the trace of a failure. */
  private static final class DaemonThreads extends Throwable {
    private static final long serialVersionUID = 1L;

    DaemonThreads(String text) {
      super("\n" + text, null, false, false);
    }
  }

  /**
   * Waits until the question has this answer; for replicated state, which appears soon but not at
   * once.
   */
  public static <T> void same(String what, T expected, Callable<T> question) throws Exception {
    long deadlineNs = System.nanoTime() + LIMIT.toNanos();
    while (System.nanoTime() - deadlineNs < 0) {
      try {
        if (Objects.equals(expected, question.call())) {
          return;
        }
      } catch (IOException | AssertionError notYet) {
        // A failing file access or program means that the answer is not there yet; after the limit
        // the last call below reports the reason.
      }
      Thread.sleep(POLL_MS);
    }
    try {
      assertEquals(expected, question.call(), what);
    } catch (IOException | AssertionError late) {
      throw missed("not within " + LIMIT.toSeconds() + " s: " + what, late);
    }
  }
}

package io.hypersync.coordination.daemon;

import io.hypersync.coordination.cas.CasException;
import io.hypersync.coordination.cas.CasStore;
import io.hypersync.coordination.putex.Outcome;
import io.hypersync.coordination.putex.Step;
import io.hypersync.model.text.Printable;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Calls a store for no longer than a step may take. A call that takes longer goes on by itself, and
 * nobody waits for it; stores bound their calls, so there are never many.
 */
final class TimedStore {
  private static final int MAX_CHARS = 300;

  private final CasStore store;
  private final String key;

  /** A call of the store, and what it means. */
  private interface Call {
    Outcome outcome() throws CasException;
  }

  TimedStore(CasStore store, String key) {
    this.store = store;
    this.key = key;
  }

  Outcome read(Step.Read read) throws InterruptedException {
    return timed(
        read.limitNs(),
        () ->
            store
                .read(key)
                .<Outcome>map(
                    there ->
                        new Outcome.Found(
                            new String(there.value(), StandardCharsets.UTF_8), there.revision()))
                .orElseGet(Outcome.Absent::new));
  }

  Outcome write(Step.Write write) throws InterruptedException {
    byte[] value = write.token().getBytes(StandardCharsets.UTF_8);
    return timed(
        write.limitNs(),
        () -> {
          Optional<Long> revision =
              write.revision().isPresent()
                  ? store.update(key, value, write.revision().getAsLong())
                  : store.create(key, value);
          return revision.<Outcome>map(Outcome.Written::new).orElseGet(Outcome.Refused::new);
        });
  }

  private static Outcome timed(long limitNs, Call call) throws InterruptedException {
    FutureTask<Outcome> task = new FutureTask<>(call::outcome);
    Thread.ofVirtual().name("putex-store").start(task);
    try {
      return task.get(limitNs, TimeUnit.NANOSECONDS);
    } catch (TimeoutException _) {
      return new Outcome.Unknown(
          "the store has not answered within " + limitNs / 1_000_000 + " ms");
    } catch (ExecutionException failed) {
      return new Outcome.Unknown(told(failed.getCause()));
    }
  }

  private static String told(Throwable failure) {
    if (failure instanceof CasException known) {
      return Printable.line(
          known.getMessage() + (known.hint().isEmpty() ? "" : ". " + known.hint()), MAX_CHARS);
    }
    return "the store has failed: " + Printable.line(String.valueOf(failure), MAX_CHARS);
  }
}

package io.hypersync.coordination.daemon;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.coordination.putex.Outcome;
import io.hypersync.coordination.putex.ProcessMutex;
import io.hypersync.coordination.putex.State;
import io.hypersync.coordination.putex.Step;
import io.hypersync.runtime.admin.AdminCommand;
import io.hypersync.runtime.admin.Daemon;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.agent.Clock;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One agent of a process mutex, as a daemon: a thread that does step by step what {@link
 * ProcessMutex} says. Closing it stops the service and frees the lock.
 */
public final class PutexDaemon implements Daemon {
  private static final Logger LOG = LoggerFactory.getLogger(PutexDaemon.class);
  private static final long NS_PER_MS = 1_000_000L;

  private final PutexOptions options;
  private final Clock clock;
  private final TimedStore store;
  private final HealthCheck check;
  private final ServiceSwitch service;
  private final PutexJournal journal;
  private final ProcessMutex mutex;
  private final CountDownLatch leaving = new CountDownLatch(1);
  private final CompletableFuture<Void> ended = new CompletableFuture<>();

  private PutexDaemon(PutexOptions options, Clock clock) {
    this.options = options;
    this.clock = clock;
    Map<String, String> environment =
        Map.of("PUTEX_NAME", options.name(), "PUTEX_TOKEN", options.token());
    this.store = new TimedStore(options.store(), options.key());
    this.check = new HealthCheck(options.scripts().check(), environment);
    this.service = new ServiceSwitch(options.scripts(), environment, options.timing(), clock);
    this.journal = new PutexJournal(options, clock);
    this.mutex = new ProcessMutex(options.token(), options.timing(), journal);
  }

  /** Starts the agent; its thread runs when this returns. */
  public static PutexDaemon start(PutexOptions options) {
    return start(options, Clock.SYSTEM);
  }

  static PutexDaemon start(PutexOptions options, Clock clock) {
    PutexDaemon daemon = new PutexDaemon(options, clock);
    Thread.ofPlatform().name("putex").start(daemon::run);
    return daemon;
  }

  private void run() {
    try {
      while (mutex.state() != State.LEFT) {
        if (leaving.getCount() == 0) {
          mutex.leave();
        }
        Step step = mutex.next(clock.monotonicNs());
        if (step instanceof Step.End) {
          break;
        }
        Outcome outcome = perform(step);
        mutex.done(outcome, clock.monotonicNs());
        journal.done(step, outcome, mutex, service.expired());
      }
      journal.left(mutex.mayRun());
      service.close();
      if (mutex.mayRun()) {
        ended.completeExceptionally(
            new UserError(
                "the service " + options.name() + " could not be stopped",
                "Its switch goes on trying for a while. Stop it by hand, and look at the stop"
                    + " script: other agents start it when the lock was not renewed for long"
                    + " enough."));
      } else {
        ended.complete(null);
      }
    } catch (InterruptedException | RuntimeException failure) {
      LOG.error("the agent has failed; its switch stops the service", failure);
      service.close();
      ended.completeExceptionally(failure);
    } finally {
      ended.completeExceptionally(new IllegalStateException("the agent has failed"));
    }
  }

  private Outcome perform(Step step) throws InterruptedException {
    return switch (step) {
      case Step.Read read -> store.read(read);
      case Step.Write write -> store.write(write);
      case Step.Check wanted -> check.run(wanted);
      case Step.Start start -> service.start(start);
      case Step.Stop stop -> service.stop(stop);
      case Step.Wait wait -> {
        // It ends early if the agent is to leave, and then its outcome does not matter.
        var _ = leaving.await(wait.untilNs() - clock.monotonicNs(), TimeUnit.NANOSECONDS);
        yield new Outcome.Passed();
      }
      case Step.End _ -> throw new IllegalStateException("nothing is to be done");
    };
  }

  @Override
  public ObjectNode status() {
    return journal.status();
  }

  @Override
  public Map<String, AdminCommand> adminCommands() {
    return Map.of();
  }

  @Override
  public CompletableFuture<Void> ended() {
    return ended;
  }

  /**
   * Stops the service, frees the lock and ends. Blocks until then: C * R for stopping, and some
   * intervals for the store and the end of what is being done.
   */
  @Override
  public void close() {
    leaving.countDown();
    check.end();
    long limitMs =
        (2 * options.timing().stopLimitNs() + 3 * options.timing().patienceNs()) / NS_PER_MS;
    try {
      ended.get(limitMs, TimeUnit.MILLISECONDS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException failure) {
      LOG.error("the agent has not ended cleanly: {}", String.valueOf(failure.getMessage()));
    }
  }
}

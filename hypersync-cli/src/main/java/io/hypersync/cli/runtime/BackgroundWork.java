package io.hypersync.cli.runtime;

import io.hypersync.cli.config.Configuration;
import io.hypersync.cli.config.Settings;
import io.hypersync.cli.putex.LockStore;
import io.hypersync.coordination.lease.BackgroundLease;
import io.hypersync.coordination.lease.LeaseHolder;
import io.hypersync.coordination.lease.LeaseTimes;
import io.hypersync.coordination.lease.LeasedTurns;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.runtime.background.BackgroundTurns;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** This process's part in the turns that a leader and its standbys take in the background. */
final class BackgroundWork implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(BackgroundWork.class);
  private static final String KEY = "background-";
  private static final long LOOK_MS = 200;

  /** A renewal that hangs for longer could not be tried again in time. */
  private static final Duration STORE_LIMIT = Duration.ofSeconds(5);

  private final @Nullable LockStore store;
  private final @Nullable LeasedTurns turns;
  private final @Nullable ScheduledExecutorService thread;
  private final AtomicBoolean closed = new AtomicBoolean();

  private BackgroundWork(
      @Nullable LockStore store,
      @Nullable LeasedTurns turns,
      @Nullable ScheduledExecutorService thread) {
    this.store = store;
    this.turns = turns;
    this.thread = thread;
  }

  /**
   * Takes part from now on, if a store is set.
   *
   * @throws UserError if the settings are wrong; a store that does not answer is none
   */
  static BackgroundWork begin(Configuration configuration, WorkspaceId workspace) {
    String address = configuration.get(Settings.BACKGROUND_STORE);
    if (address.isEmpty()) {
      return new BackgroundWork(null, null, null);
    }
    SecureRandom random = new SecureRandom();
    String holder;
    try {
      holder =
          LeaseHolder.name(
              configuration.get(Settings.BACKGROUND_HOLDER),
              System.getenv("HOSTNAME"),
              random::nextLong);
    } catch (IllegalArgumentException e) {
      throw new UserError(
          Settings.BACKGROUND_HOLDER.key() + ": " + e.getMessage(), "", UserError.USAGE);
    }
    String credentials = configuration.get(Settings.BACKGROUND_CREDENTIALS);
    LockStore store =
        LockStore.of(
            address,
            configuration.get(Settings.BACKGROUND_BUCKET),
            credentials.isEmpty() ? Optional.empty() : Optional.of(Path.of(credentials)),
            true,
            STORE_LIMIT);
    LeasedTurns turns =
        new LeasedTurns(
            new BackgroundLease(
                KEY + workspace,
                holder,
                random.nextLong(),
                LeaseTimes.DEFAULT,
                store.store(),
                Clock.SYSTEM),
            LeaseTimes.DEFAULT,
            Clock.SYSTEM);
    ScheduledExecutorService thread =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("background-lease").daemon().factory());
    var _ =
        thread.scheduleWithFixedDelay(() -> turn(turns), LOOK_MS, LOOK_MS, TimeUnit.MILLISECONDS);
    LOG.info("{} takes turns with others in the background by {}", holder, store.name());
    return new BackgroundWork(store, turns, thread);
  }

  /** An exception would end the schedule, and with it all turns. */
  private static void turn(LeasedTurns turns) {
    try {
      turns.turn();
    } catch (RuntimeException e) {
      LOG.error("internal error in the lease for work in the background", e);
    }
  }

  /** Those with whom this process takes turns. */
  BackgroundTurns turns() {
    LeasedTurns own = turns;
    return own == null ? BackgroundTurns.ALONE : own;
  }

  /**
   * Gives the turn to others. To be called when no job runs any more; the second call does nothing.
   */
  void end() {
    if (thread != null && turns != null && store != null && !closed.getAndSet(true)) {
      thread.close(); // waits for a call of the store that is under way
      turns.close();
      store.close();
    }
  }

  @Override
  public void close() {
    end();
  }
}

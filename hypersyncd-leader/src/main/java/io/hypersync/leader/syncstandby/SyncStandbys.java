package io.hypersync.leader.syncstandby;

import io.hypersync.leader.syncstandby.SyncRecord.Standing;
import io.hypersync.model.id.WorkerId;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.runtime.log.LogEvent;
import io.hypersync.wire.message.Feature;
import io.hypersync.wire.message.Features;
import io.hypersync.wire.message.StandbyStanding;
import io.hypersync.wire.transport.SessionId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides how far the log counts as durable when acknowledgements wait for standbys (hypersync.md
 * 19, decision 060): as far as this disk and the disks of all standbys that are waited for.
 *
 * <pre>
 *   a standby is         it is waited for   what was acknowledged is on its disk
 *   synchronous          yes                all
 *   catching up          yes                all up to where it is; more was, without it
 *   away                 yes                all, if it was synchronous
 *   alone (left behind)  no                 all up to some entry, which is recorded
 * </pre>
 *
 * <p>On the agent's thread, except for {@link #durableIndex} and {@link #ownDurable}.
 */
public final class SyncStandbys {
  private static final Logger LOG = LoggerFactory.getLogger(SyncStandbys.class);
  private static final long NS_PER_MS = 1_000_000;

  /**
   * A turn of the loop counts as at most this part of the patience: a leader that was stopped has
   * not read yet what has come meanwhile.
   */
  private static final int SLICES = 10;

  /** How long after a record that could not be written the next one is tried. */
  private static final long STORE_AGAIN_NS = 1_000_000_000L;

  private final SyncStandbyOptions options;
  private final LongSupplier own;
  private final SyncRecordStore store;
  private final Clock clock;
  private final List<SyncStandby> standbys = new ArrayList<>();

  /** Liars that were logged: their certificates, so no more than there are standbys. */
  private final Set<WorkerId> refused = new HashSet<>();

  private SyncRecord record;
  private Listener listener = (_, _, _) -> {};
  private long lastTickNs;
  private long nextStoreNs;
  private long behindSinceNs;
  private boolean isBehind;

  /** Guards the two below, and reads of the log's own index that are compared with them. */
  private final Object lock = new Object();

  /** The least that those have who are waited for; {@code Long.MAX_VALUE} if nobody is. */
  private long least = Long.MAX_VALUE;

  /** What has ever counted as durable. */
  private long acknowledged;

  /** Is told when a standby becomes synchronous, or is left behind. */
  @FunctionalInterface
  public interface Listener {
    /**
     * It has changed.
     *
     * @param why for a person
     */
    void changed(WorkerId standby, boolean isSynchronous, String why);
  }

  /**
   * How one of them stands, for reports.
   *
   * @param state {@code synchronous}, {@code catching_up}, {@code away} or {@code alone}
   * @param synced what it has on its disk, as far as this connection has shown; 0 if it is away
   * @param lacks how many entries of this log it does not have; all that came since it was heard,
   *     if it is away
   * @param aloneAfter what was acknowledged after this entry may not be on its disk; 0 if it is
   *     synchronous, or never was
   * @param sinceEpochMs since when, in milliseconds since 1970
   */
  public record Report(
      WorkerId name,
      String state,
      boolean isConnected,
      long synced,
      long lacks,
      long aloneAfter,
      long sinceEpochMs) {}

  /**
   * Begins for a log that was recovered.
   *
   * @param record what an earlier run has left; standbys in it that are not waited for any more are
   *     forgotten, with a word in the log
   * @param recovered the last entry of the log; all of it is durable here
   * @param own how far the log on this disk is durable; any thread, never lower than before
   */
  public SyncStandbys(
      SyncStandbyOptions options,
      SyncRecord record,
      long recovered,
      LongSupplier own,
      SyncRecordStore store,
      Clock clock) {
    this.options = options;
    this.own = own;
    this.store = store;
    this.clock = clock;
    this.record = record;
    this.lastTickNs = clock.monotonicNs();
    this.nextStoreNs = lastTickNs;
    this.acknowledged = recovered;
    long patienceNs =
        options.degrade() == Degrade.ALONE ? options.degradeAfterNs() : Long.MAX_VALUE;
    for (WorkerId name : options.names()) {
      standbys.add(new SyncStandby(name, record.of(name), recovered, patienceNs, epochMs(clock)));
    }
    settle(() -> {});
    giveUpOthers(recovered);
  }

  /** Of a leader that waits for nobody. */
  public static SyncStandbys none(LongSupplier own, Clock clock) {
    return new SyncStandbys(
        SyncStandbyOptions.OFF, SyncRecord.NONE, own.getAsLong(), own, _ -> true, clock);
  }

  /** A standby believes that nothing is acknowledged without it, and that has changed. */
  private void giveUpOthers(long recovered) {
    for (Standing each : record.standbys()) {
      boolean isOut = !options.names().contains(each.name());
      if (each.isSynchronous()
          && (isOut || (each.told() == Degrade.BLOCK && options.degrade() == Degrade.ALONE))) {
        LOG.warn(
            "standby {} was told that nothing is acknowledged without it, and that is over: do not"
                + " promote it before it has followed this leader again",
            each.name());
      }
      if (isOut && each.isSynchronous()) {
        save(new Standing(each.name(), false, options.degrade(), recovered, epochMs(clock)));
      }
    }
  }

  /** Whether anybody is to be waited for. */
  public boolean isOn() {
    return !standbys.isEmpty();
  }

  /** The settings. */
  public SyncStandbyOptions options() {
    return options;
  }

  /** Tells this listener from now on; on the agent's thread. */
  public void tell(Listener changes) {
    listener = changes;
  }

  /**
   * What counts as durable: every caller may be told of it, and every mount may show it. Never
   * decreases. Any thread.
   *
   * <p>One lock for all reads, because the wait for a standby that was left begins with what
   * anybody has read before: read without it, an index could be handed out after it was decided
   * which one is the last that does not need the standby.
   */
  public long durableIndex() {
    synchronized (lock) {
      acknowledged = Math.max(acknowledged, Math.min(own.getAsLong(), least));
      return acknowledged;
    }
  }

  /** What is durable on this disk; standbys are sent entries up to here. Any thread. */
  public long ownDurable() {
    return own.getAsLong();
  }

  /** Changes who is waited for, or what they have. */
  private void settle(Runnable change) {
    synchronized (lock) {
      long _ = durableIndex();
      change.run();
      least = Long.MAX_VALUE;
      for (SyncStandby each : standbys) {
        if (each.isWaitedFor()) {
          least = Math.min(least, each.synced());
        }
      }
    }
  }

  /**
   * Whether this is one of the standbys that are waited for: by its certificate, and because it
   * says that it keeps a log. A worker with that certificate mounts what it gets, and must not get
   * more than others.
   */
  public boolean isStandby(WorkerId worker, Features offered) {
    return offered.has(Feature.SYNC_STANDBY) && find(worker) != null;
  }

  /**
   * Whether no worker may be welcomed yet. After a start nobody knows which of the last entries an
   * earlier run has acknowledged, and which ones a synchronous standby lacks: a worker that is
   * shown one of the latter could know more than the standby that is promoted.
   */
  public boolean holdsStart() {
    return standbys.stream().anyMatch(SyncStandby::holdsStart);
  }

  /** A standby was welcomed. */
  public void established(SessionId session, WorkerId worker) {
    SyncStandby standby = Objects.requireNonNull(find(worker));
    settle(() -> standby.established(session, acknowledged));
  }

  /** A connection has ended; perhaps that of a standby. */
  public void ended(SessionId session) {
    SyncStandby standby = of(session);
    if (standby == null) {
      return;
    }
    boolean wasSynchronous = standby.isSynchronous();
    settle(standby::ended);
    if (wasSynchronous) {
      LOG.warn(
          LogEvent.STANDBY_AWAY.marker().with("standby", standby.name()),
          "standby {} is away: {}",
          standby.name(),
          options.degrade() == Degrade.BLOCK
              ? "nothing is acknowledged until it is back"
              : "it is waited for " + options.degradeAfterNs() / NS_PER_MS + " ms");
    }
  }

  /**
   * A standby has said what is on its disk.
   *
   * @param synced as it says
   * @param visible what it has applied, with this log's roots
   * @param sent the last entry that this connection has brought, or its Hello has proved
   * @return why its connection is to be ended: it says what cannot be; null if it is to go on, or
   *     is no standby that is waited for
   */
  public @Nullable String reported(SessionId session, long synced, long visible, long sent) {
    SyncStandby standby = of(session);
    if (standby == null) {
      return null;
    }
    if (synced > own.getAsLong()) {
      settle(standby::ended);
      String lie = "it says that it has entry " + synced + ", this log ends at " + own.getAsLong();
      if (refused.add(standby.name())) {
        LOG.error("standby {} is not believed: {}; said once", standby.name(), lie);
      }
      return lie;
    }
    // What it has of entries that were not compared on this connection may be of another history.
    long counted = Math.max(0, Math.min(synced, Math.min(visible, sent)));
    settle(() -> standby.reported(synced, counted));
    catchesUp(standby);
    return null;
  }

  private void catchesUp(SyncStandby standby) {
    if (standby.isSynchronous() || !standby.hasWhatItNeeds()) {
      return;
    }
    boolean wasComplete = standby.isComplete();
    // Durable before the standby is told: else the next start would not wait for it.
    if (isRecorded(standby)
        || save(
            new Standing(
                standby.name(), true, options.degrade(), durableIndex(), epochMs(clock)))) {
      settle(() -> standby.complete(clock.monotonicNs(), epochMs(clock)));
      String what = "acknowledgements wait for it from entry " + durableIndex() + " on";
      LOG.info(
          LogEvent.STANDBY_SYNCHRONOUS.marker().with("standby", standby.name()),
          "standby {} is synchronous: {}",
          standby.name(),
          what);
      if (!wasComplete) {
        listener.changed(standby.name(), true, what);
      }
    }
  }

  private boolean isRecorded(SyncStandby standby) {
    return record
        .of(standby.name())
        .filter(each -> each.isSynchronous() && each.told() == options.degrade())
        .isPresent();
  }

  /** Not more often than once a second while the disk refuses. */
  private boolean save(Standing standing) {
    if (clock.monotonicNs() - nextStoreNs < 0) {
      return false;
    }
    SyncRecord next = record.with(standing);
    if (!store.store(next)) {
      nextStoreNs = clock.monotonicNs() + STORE_AGAIN_NS;
      return false;
    }
    record = next;
    return true;
  }

  /**
   * Leaves behind who has not answered for too long, and waits again for who is back; once in a
   * turn of the loop.
   *
   * @return whether anything has changed
   */
  public boolean tick(long nowNs) {
    if (!isOn()) {
      return false;
    }
    long sliceNs = Math.min(nowNs - lastTickNs, options.degradeAfterNs() / SLICES);
    lastTickNs = nowNs;
    noteBehind(nowNs);
    boolean isChanged = false;
    for (SyncStandby each : standbys) {
      if (each.isOverdue(own.getAsLong(), sliceNs)) {
        isChanged |= leave(each, nowNs);
      } else if (each.isCloseEnough(own.getAsLong())) {
        settle(() -> each.waitFor(own.getAsLong()));
        catchesUp(each);
        isChanged = true;
      }
    }
    return isChanged;
  }

  private void noteBehind(long nowNs) {
    boolean now = own.getAsLong() > durableIndex();
    if (now && !isBehind) {
      behindSinceNs = nowNs;
    }
    isBehind = now;
  }

  /** Recorded before anything is acknowledged without it. */
  private boolean leave(SyncStandby standby, long nowNs) {
    boolean wasComplete = standby.isComplete();
    long after = durableIndex();
    if (record.of(standby.name()).filter(Standing::isSynchronous).isPresent()
        && !save(new Standing(standby.name(), false, options.degrade(), after, epochMs(clock)))) {
      return false;
    }
    settle(() -> standby.leave(after, nowNs, epochMs(clock)));
    if (wasComplete) {
      String why =
          "it did not answer for "
              + options.degradeAfterNs() / NS_PER_MS
              + " ms: what is acknowledged after entry "
              + after
              + " is here only";
      LOG.error(
          LogEvent.STANDBY_LEFT_OUT.marker().with("standby", standby.name()),
          "this leader goes on without standby {}: {}",
          standby.name(),
          why);
      listener.changed(standby.name(), false, why);
    }
    return true;
  }

  /** What the standby of a connection is told; null if it is none that is waited for. */
  public @Nullable StandbyStanding standing(SessionId session) {
    SyncStandby standby = of(session);
    return standby == null ? null : standby.standing();
  }

  /** How many entries are durable here and wait for a standby. */
  public long waiting() {
    return own.getAsLong() - durableIndex();
  }

  /** How long there have been such entries without a pause, in nanoseconds. */
  public long waitingNs(long nowNs) {
    return isBehind ? nowNs - behindSinceNs : 0;
  }

  /** How all of them stand. */
  public List<Report> reports() {
    return standbys.stream()
        .map(
            each ->
                new Report(
                    each.name(),
                    state(each),
                    each.session() != null,
                    each.session() == null ? 0 : each.said(),
                    Math.max(
                        0,
                        own.getAsLong()
                            - (each.session() == null ? durableIndex() : each.synced())),
                    each.isComplete() ? 0 : each.aloneAfter(),
                    each.sinceEpochMs()))
        .toList();
  }

  private static String state(SyncStandby standby) {
    if (standby.isSynchronous()) {
      return "synchronous";
    }
    if (!standby.isWaitedFor()) {
      return "alone";
    }
    return standby.session() == null ? "away" : "catching_up";
  }

  private static long epochMs(Clock clock) {
    return clock.epochNs() / NS_PER_MS;
  }

  private @Nullable SyncStandby find(WorkerId worker) {
    return standbys.stream().filter(each -> each.name().equals(worker)).findFirst().orElse(null);
  }

  private @Nullable SyncStandby of(SessionId session) {
    return standbys.stream()
        .filter(each -> session.equals(each.session()))
        .findFirst()
        .orElse(null);
  }
}

package io.hypersync.leader.recovery;

import io.hypersync.leader.port.RootAuditPort;
import io.hypersync.leader.sequencer.BoundedMap;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.WorkerId;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Workers that say that another root comes of an entry than the log has (hypersync.md 6.4.1). One
 * of the two is wrong, and the leader finds out who: it replays its log once more. If the log is
 * wrong it stops at once, for everything that it has committed since rests on that entry; if the
 * worker is, the leader says so and goes on.
 *
 * <p>A replay takes a processor for as long as a start takes, so what a worker says cannot have
 * many of them: there is one at a time, then none for twenty times as long as that took, one for
 * each worker in {@link #WORKER_PAUSE_NS}, and an entry that was found right stays right.
 * Single-threaded.
 */
public final class RootClaims {
  private static final Logger LOG = LoggerFactory.getLogger(RootClaims.class);

  /** A worker has its claims looked into no more often. */
  static final long WORKER_PAUSE_NS = 600_000_000_000L;

  /** Of the time of one processor at most so much goes into replays: one part of these. */
  static final int PAUSE_FACTOR = 20;

  private static final int MAX_REMEMBERED = 1_024;

  private final RootAuditPort port;

  /** When the last claim of a worker was looked into. */
  private final Map<WorkerId, Long> lookedIntoNs = new BoundedMap<>(MAX_REMEMBERED);

  /** Entries that were found right, with their roots. */
  private final Map<Long, Hash> right = new BoundedMap<>(MAX_REMEMBERED);

  /** The last entry of which a worker was said to be wrong, so that it is said once. */
  private final Map<WorkerId, Long> told = new BoundedMap<>(MAX_REMEMBERED);

  private long running;
  private WorkerId claimant = new WorkerId("nobody");
  private long begunNs;
  private boolean wasBusy;
  private long notBeforeNs;
  private long audits;

  /** Nothing is claimed. */
  public RootClaims(RootAuditPort port) {
    this.port = port;
  }

  /**
   * A worker has applied everything before an entry, and says that this root comes of it. It says
   * so again and again, as long as it is connected.
   *
   * @param durableIndex what is not durable is nothing to be claimed about
   * @param stateBytes what the newest state takes of the heap, about
   */
  public void claimed(
      WorkerId worker, long index, Hash root, long durableIndex, long stateBytes, long nowNs) {
    if (index < 1 || index > durableIndex) {
      return;
    }
    Hash known = right.get(index);
    if (known != null) {
      tell(worker, index, known, root);
      return;
    }
    if (running != 0 || (wasBusy && nowNs - notBeforeNs < 0)) {
      return;
    }
    Long before = lookedIntoNs.get(worker);
    if (before != null && nowNs - before < WORKER_PAUSE_NS) {
      return;
    }
    LOG.warn(
        "worker {} says that root {} comes of entry {}, which is not the log's: the log is replayed"
            + " to find out who is right",
        worker,
        root,
        index);
    lookedIntoNs.put(worker, nowNs);
    running = index;
    claimant = worker;
    begunNs = nowNs;
    audits++;
    port.audit(index, stateBytes);
  }

  /**
   * The replay has ended.
   *
   * @throws WrongRootException if the log is wrong
   */
  public void audited(AuditFinding finding, long nowNs) {
    running = 0;
    wasBusy = true;
    notBeforeNs = nowNs + PAUSE_FACTOR * (nowNs - begunNs);
    switch (finding) {
      case AuditFinding.Wrong(_, long index, String what) ->
          throw new WrongRootException(index, what);
      case AuditFinding.Right(long index, Hash root) -> {
        right.put(index, root);
        LOG.info("entry {} was replayed once more: root {} is right", index, root);
      }
      case AuditFinding.Unknown(long index, String why) ->
          LOG.error(
              "whether entry {} or worker {} is wrong could not be found out, see docs/diverged.md:"
                  + " {}",
              index,
              claimant,
              why);
    }
  }

  /** How many replays were begun, for reports. */
  public long audits() {
    return audits;
  }

  private void tell(WorkerId worker, long index, Hash logged, Hash claimed) {
    Long before = told.put(worker, index);
    if (before == null || before != index) {
      LOG.error(
          "worker {} is wrong about entry {}: its root is {}, the log's is {}, and the log was"
              + " found right. Start that worker again; if it is wrong again, look at the memory of"
              + " its machine (docs/diverged.md)",
          worker,
          index,
          claimed,
          logged);
    }
  }
}

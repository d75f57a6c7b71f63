package io.hypersync.leader.recovery;

import io.hypersync.leader.port.RootAuditPort;
import io.hypersync.leader.sequencer.BoundedMap;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.WorkerId;
import io.hypersync.runtime.log.LogEvent;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles workers' claims that an entry has another root than the log says (hypersync.md 6.4.1).
 * Either the worker or the log is wrong, and the leader finds out which by replaying its log. If
 * the log is wrong, the leader stops at once, because everything committed since rests on that
 * entry; if the worker is wrong, the leader logs that and goes on.
 *
 * <p>A replay occupies a processor for as long as a start does, so claims are rationed: one replay
 * at a time, then a pause of {@link #PAUSE_FACTOR} times its duration, one per worker in {@link
 * #WORKER_PAUSE_NS}, and none for an entry that was found right. Single-threaded.
 */
public final class DivergenceReports {
  private static final Logger LOG = LoggerFactory.getLogger(DivergenceReports.class);

  /** The least time between two audits that one worker's claims cause, in nanoseconds. */
  static final long WORKER_PAUSE_NS = 600_000_000_000L;

  /**
   * Pause after a replay, in multiples of its duration: bounds replays to about 1/20 of one
   * processor.
   */
  static final int PAUSE_FACTOR = 20;

  private static final int MAX_REMEMBERED = 1_024;

  private final RootAuditPort port;

  /** By worker: when its last claim led to an audit. */
  private final Map<WorkerId, Long> lookedIntoNs = new BoundedMap<>(MAX_REMEMBERED);

  /** Entries that were found right, with their roots. */
  private final Map<Long, Hash> right = new BoundedMap<>(MAX_REMEMBERED);

  /** By worker: the last entry for which it was reported wrong, so that each is logged once. */
  private final Map<WorkerId, Long> loggedIndexes = new BoundedMap<>(MAX_REMEMBERED);

  private long running;
  private WorkerId claimant = new WorkerId("nobody");
  private long begunNs;
  private boolean wasBusy;
  private long notBeforeNs;
  private long audits;

  public DivergenceReports(RootAuditPort port) {
    this.port = port;
  }

  /**
   * A worker has applied everything before an entry and computes this root for it. Called with
   * every report of the worker, as long as it is connected; starts an audit if one is due.
   *
   * @param durableIndex claims about later entries are ignored
   * @param stateBytes about how many bytes of heap the newest state takes
   */
  public void claimed(
      WorkerId worker, long index, Hash root, long durableIndex, long stateBytes, long nowNs) {
    if (index < 1 || index > durableIndex) {
      return;
    }
    Hash known = right.get(index);
    if (known != null) {
      logWrong(worker, index, known, root);
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
   * Takes the finding of an audit.
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

  /** How many audits were started; for status reports. */
  public long audits() {
    return audits;
  }

  private void logWrong(WorkerId worker, long index, Hash logged, Hash claimed) {
    Long before = loggedIndexes.put(worker, index);
    if (before == null || before != index) {
      LOG.error(
          LogEvent.WORKER_WRONG.marker(),
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

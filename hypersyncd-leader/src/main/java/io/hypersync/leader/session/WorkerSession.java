package io.hypersync.leader.session;

import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.runtime.progress.Progress;
import io.hypersync.runtime.progress.ProgressMeter;
import io.hypersync.wire.message.WorkerMessage.SubmitIntent;
import io.hypersync.wire.message.WorkerMessage.WorkerApplied;
import io.hypersync.wire.transport.SessionId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One connection of a worker; owned by the leader agent and used on its thread. */
public final class WorkerSession {
  private final SessionId id;
  private final WorkerId worker;
  private final String address;
  private boolean established;
  private long lastHeardNs;
  private int silentCalls;
  private long nextIndex;
  private long ownIndex;
  private long appliedIndex;

  /** What was durable when it had last reached such a goal, and when that was (monotonic). */
  private long goalIndex;

  private long goalNs;
  private boolean readingLog;
  private boolean installing;

  /** Whether it is sent what is durable on the leader's own disk: a standby that is waited for. */
  private boolean isSyncStandby;

  private @Nullable WorkerApplied report;
  private final StandbyLag standbyLag = new StandbyLag();
  private final ProgressMeter catchUp = new ProgressMeter();

  /** Null if the worker wants all entries whole. */
  private @Nullable KeptPayloads kept;

  WorkerSession(SessionId id, WorkerId worker, String address, long nowNs) {
    this.id = id;
    this.worker = worker;
    this.address = address;
    this.lastHeardNs = nowNs;
  }

  public SessionId id() {
    return id;
  }

  /** The name in the worker's certificate. */
  public WorkerId worker() {
    return worker;
  }

  /** The worker's network address, for display. */
  public String address() {
    return address;
  }

  /** Whether the handshake is complete: its Hello was accepted. */
  public boolean isEstablished() {
    return established;
  }

  /** The newest entry that the worker is known to have applied; it may not be visible there yet. */
  public long appliedIndex() {
    return appliedIndex;
  }

  /**
   * The newest entry that the worker has reported as visible on this connection; 0 before its first
   * report.
   */
  public long visibleIndex() {
    return report == null ? 0 : report.visibleIndex();
  }

  /**
   * How far it is behind, by its last report, and how fast it follows.
   *
   * @param durable the newest durable entry
   */
  public Progress catchUp(long durable) {
    return catchUp.towards(durable);
  }

  /** Its last report; null before the first one. */
  public @Nullable WorkerApplied report() {
    return report;
  }

  /** The Merkle root it last reported. */
  public Hash visibleRoot() {
    WorkerApplied last = report;
    return last == null ? Hash.ZERO : last.visibleRoot();
  }

  /** When its last message arrived, by the monotonic clock. */
  public long lastHeardNs() {
    return lastHeardNs;
  }

  /** Records that a message has arrived. */
  public void heard(long nowNs) {
    lastHeardNs = nowNs;
    silentCalls = 0;
  }

  int silentAgain() {
    silentCalls++;
    return silentCalls;
  }

  void establish(long afterIndex) {
    established = true;
    nextIndex = afterIndex + 1;
    appliedIndex = afterIndex;
  }

  /**
   * Takes the worker's report of its visible index and state.
   *
   * @param durable the newest durable entry, which the worker follows
   * @param nowNs monotonic
   */
  public void reported(WorkerApplied newReport, long durable, long nowNs) {
    report = newReport;
    catchUp.sample(nowNs, newReport.visibleIndex(), durable);
    standbyLag.reported(newReport.syncedIndex(), durable, nowNs);
    appliedIndex = Math.max(appliedIndex, newReport.visibleIndex());
    if (newReport.visibleIndex() >= goalIndex) {
      goalIndex = durable;
      goalNs = nowNs;
    }
  }

  /**
   * How long it has been on its way to what was durable once, in nanoseconds: at most about twice
   * as long as its last entry took from the log to its processes.
   */
  public long lagNs(long nowNs) {
    return report == null || report.visibleIndex() >= goalIndex ? 0 : nowNs - goalNs;
  }

  /** How far a standby is behind with what is on its disk. */
  public StandbyLag standbyLag() {
    return standbyLag;
  }

  /** The newest entry that an intent of this worker has become on this connection; 0 if none. */
  long ownIndex() {
    return ownIndex;
  }

  void sequenced(LogEntry entry) {
    ownIndex = entry.index();
    if (kept != null) {
      kept.sequenced(entry);
    }
  }

  /** The worker keeps the payloads of its intents: its entries may go without them. */
  void keepsPayloads() {
    kept = new KeptPayloads();
  }

  /** An intent has come on this connection. */
  public void submitted(SubmitIntent intent) {
    if (kept != null && intent.inlinePayload().length > 0) {
      kept.submitted(intent.intent());
    }
  }

  /** What is sent to this worker for these entries, from this one on. */
  List<byte[]> sent(long from, List<byte[]> encoded) {
    return kept == null ? encoded : kept.sent(from, encoded);
  }

  /** Whether it was offered a snapshot, so that it gets no entries on this connection. */
  public boolean isInstalling() {
    return installing;
  }

  void offered() {
    installing = true;
  }

  /** It is a standby that is waited for: it gets entries before they count as durable. */
  void becomesSyncStandby() {
    isSyncStandby = true;
  }

  /** Whether it gets what is durable on the leader's disk, and may not be on those of standbys. */
  public boolean isSyncStandby() {
    return isSyncStandby;
  }

  /** The last entry that it was sent on this connection, or had before. */
  public long sentThrough() {
    return nextIndex - 1;
  }

  long nextIndex() {
    return nextIndex;
  }

  void sentThrough(long index) {
    nextIndex = index + 1;
  }

  boolean readingLog() {
    return readingLog;
  }

  void readingLog(boolean reading) {
    readingLog = reading;
  }
}

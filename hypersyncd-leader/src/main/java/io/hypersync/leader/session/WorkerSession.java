package io.hypersync.leader.session;

import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.WorkerId;
import io.hypersync.wire.message.WorkerMessage.WorkerApplied;
import io.hypersync.wire.transport.SessionId;
import org.jspecify.annotations.Nullable;

/** One connected worker; owned by the leader agent. */
public final class WorkerSession {
  private final SessionId id;
  private final WorkerId worker;
  private final String address;
  private boolean greeted;
  private long lastHeardNs;
  private int silentCalls;
  private long nextIndex;
  private long ownIndex;
  private long appliedIndex;
  private boolean readingLog;
  private @Nullable WorkerApplied report;

  WorkerSession(SessionId id, WorkerId worker, String address, long nowNs) {
    this.id = id;
    this.worker = worker;
    this.address = address;
    this.lastHeardNs = nowNs;
  }

  /** The connection. */
  public SessionId id() {
    return id;
  }

  /** The name in the worker's certificate. */
  public WorkerId worker() {
    return worker;
  }

  /** Where it comes from, for people. */
  public String address() {
    return address;
  }

  /** Whether its Hello was accepted. */
  public boolean greeted() {
    return greeted;
  }

  /** The last entry that it is known to have applied; it may not be visible there yet. */
  public long appliedIndex() {
    return appliedIndex;
  }

  /** The last entry that it has reported to be visible on this connection; 0 before its report. */
  public long visibleIndex() {
    return report == null ? 0 : report.appliedIndex();
  }

  /** Its last report, if any. */
  public @Nullable WorkerApplied report() {
    return report;
  }

  /** The Merkle root it last reported. */
  public Hash appliedRoot() {
    WorkerApplied last = report;
    return last == null ? Hash.ZERO : last.appliedRoot();
  }

  long lastHeardNs() {
    return lastHeardNs;
  }

  /** A message has come from it. */
  public void heard(long nowNs) {
    lastHeardNs = nowNs;
    silentCalls = 0;
  }

  int silentAgain() {
    silentCalls++;
    return silentCalls;
  }

  void greet(long afterIndex) {
    greeted = true;
    nextIndex = afterIndex + 1;
    appliedIndex = afterIndex;
  }

  /** It has said how far it is. */
  public void reported(WorkerApplied newReport) {
    report = newReport;
    appliedIndex = Math.max(appliedIndex, newReport.appliedIndex());
  }

  /** The newest entry that has become of an intent of its own on this connection; 0 if none. */
  long ownIndex() {
    return ownIndex;
  }

  void sequenced(long index) {
    ownIndex = index;
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

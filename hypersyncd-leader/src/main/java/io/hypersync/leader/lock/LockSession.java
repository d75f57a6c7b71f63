package io.hypersync.leader.lock;

import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.wire.message.LeaderMessage.LockResponse;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What is known of one run of a worker: what it has asked, what it was told, its lease. */
final class LockSession {
  private final WorkerId worker;
  private final ClientId run;
  private final long number;
  private final Map<Long, WaitingLock> waiting = new LinkedHashMap<>();
  private final List<Answer> unconfirmed = new ArrayList<>();
  private long lastRequest;
  private long lastAnswer;
  private long renewedNs;
  private boolean inGrace;

  /**
   * What was said and may have to be said again.
   *
   * @param change what it has changed of the owner's locks; null if nothing
   */
  record Answer(LockResponse response, @Nullable LockChange change) {}

  LockSession(WorkerId worker, ClientId run, long number, long leaseNowNs) {
    this.worker = worker;
    this.run = run;
    this.number = number;
    this.renewedNs = leaseNowNs;
  }

  WorkerId worker() {
    return worker;
  }

  ClientId run() {
    return run;
  }

  long number() {
    return number;
  }

  /** Whether this request is here for the first time; each is taken once. */
  boolean takes(long seqNo) {
    if (seqNo <= lastRequest) {
      return false;
    }
    lastRequest = seqNo;
    return true;
  }

  /** The requests that wait, by their number. */
  Map<Long, WaitingLock> waiting() {
    return waiting;
  }

  long nextAnswer() {
    lastAnswer++;
    return lastAnswer;
  }

  List<Answer> unconfirmed() {
    return unconfirmed;
  }

  /** What the unconfirmed answers have changed, oldest first. */
  List<LockChange> changes() {
    return unconfirmed.stream().map(Answer::change).filter(Objects::nonNull).toList();
  }

  /** These answers have arrived. */
  void confirmed(long through) {
    unconfirmed.removeIf(answer -> answer.response().number() <= through);
  }

  long renewedNs() {
    return renewedNs;
  }

  void renewed(long leaseNowNs) {
    renewedNs = leaseNowNs;
    inGrace = false;
  }

  boolean inGrace() {
    return inGrace;
  }

  void enterGrace() {
    inGrace = true;
  }
}

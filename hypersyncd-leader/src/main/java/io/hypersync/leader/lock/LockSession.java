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
  private long unconfirmedWeight;
  private boolean toldToWait;
  private long lastRequest;
  private long lastAnswer;
  private long renewedNs;
  private boolean inGrace;

  /**
   * What was said and may have to be said again.
   *
   * @param change what it has changed of the owner's locks; null if nothing
   * @param weight 1, and one for each piece that the change could give back
   */
  record Answer(LockResponse response, @Nullable LockChange change, int weight) {}

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

  void answered(LockResponse response, @Nullable LockChange change) {
    Answer answer = new Answer(response, change, 1 + (change == null ? 0 : change.pieces()));
    unconfirmed.add(answer);
    unconfirmedWeight += answer.weight;
  }

  /** How much is kept because it is unconfirmed. */
  long unconfirmedWeight() {
    return unconfirmedWeight;
  }

  /** A message was not taken: it has to come again, which it does on the next connection. */
  void toldToWait() {
    toldToWait = true;
  }

  /** Whether there was such a message; it is asked once. */
  boolean hasToSendAgain() {
    boolean again = toldToWait;
    toldToWait = false;
    return again;
  }

  /** What the unconfirmed answers have changed, oldest first. */
  List<LockChange> changes() {
    return unconfirmed.stream().map(Answer::change).filter(Objects::nonNull).toList();
  }

  /** These answers have arrived. */
  void confirmed(long through) {
    unconfirmed.removeIf(
        answer -> {
          boolean confirmed = answer.response().number() <= through;
          unconfirmedWeight -= confirmed ? answer.weight : 0;
          return confirmed;
        });
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

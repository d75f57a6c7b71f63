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

/**
 * The lock session of one run of a worker: its waiting requests, unconfirmed answers and lease.
 * Owned by {@link LockManager}.
 */
final class LockSession {
  private final WorkerId worker;
  private final ClientId run;
  private final long number;
  private final Map<Long, WaitingLock> waiting = new LinkedHashMap<>();
  private final List<Answer> unconfirmed = new ArrayList<>();
  private long unconfirmedWeight;
  private boolean refused;
  private long lastRequest;
  private long lastAnswer;
  private long renewedNs;
  private boolean inGrace;

  /**
   * An answer that was sent and may have to be sent again.
   *
   * @param change what it changed in the owner's locks; null if nothing
   * @param weight 1, plus one for each piece that undoing the change could restore
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

  /** Whether this request number is new; each number is taken once. */
  boolean takes(long seqNo) {
    if (seqNo <= lastRequest) {
      return false;
    }
    lastRequest = seqNo;
    return true;
  }

  /** The waiting requests by sequence number. */
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

  /** Total weight of the unconfirmed answers. */
  long unconfirmedWeight() {
    return unconfirmedWeight;
  }

  /** Notes that a message was not taken; the worker must send it again on its next connection. */
  void markRefused() {
    refused = true;
  }

  /** Whether a message was not taken since the last call; resets the mark. */
  boolean takeRefused() {
    boolean again = refused;
    refused = false;
    return again;
  }

  /** Changes of the unconfirmed answers, oldest first. */
  List<LockChange> changes() {
    return unconfirmed.stream().map(Answer::change).filter(Objects::nonNull).toList();
  }

  /** Drops answers that the worker has confirmed, those numbered up to {@code through}. */
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

package io.hypersync.sim.check;

import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.log.LogEntryCodec;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Judges which entries come to a worker without their payloads: those whose intents this connection
 * has brought, and only if both sides have agreed to it. A worker takes each of them, unless the
 * call that had the payload was given up.
 */
public final class KeptPayloadChecker {
  private final String worker;

  /** The intents that this connection has brought. */
  private final Set<IntentId> sent = new HashSet<>();

  private boolean isAgreed;
  private boolean isTaking;
  private boolean wasCallGivenUp;

  /**
   * No connection has begun.
   *
   * @param worker its name
   */
  public KeptPayloadChecker(String worker) {
    this.worker = worker;
  }

  /** The leader says whether entries may come without payloads. */
  public void agreed(boolean agreed) {
    isAgreed = agreed;
  }

  /** The worker sends an intent. */
  public void sent(IntentId intent) {
    sent.add(intent);
  }

  /** A call ends without an answer of the leader. */
  public void givenUp() {
    wasCallGivenUp = true;
  }

  /**
   * The worker is about to take entries.
   *
   * @return how many of them come without their payloads
   */
  public int taking(List<byte[]> entries) {
    int count = 0;
    for (byte[] bytes : entries) {
      if (LogEntryCodec.isWithoutPayload(bytes)) {
        LogEntry entry = decoded(bytes);
        Violation.unless(
            isAgreed && sent.contains(entry.intent()),
            "entry ",
            entry.index(),
            " comes to ",
            worker,
            " without its payload, which this connection has not brought");
        count++;
      }
    }
    isTaking = count > 0;
    return count;
  }

  /** It has taken them. */
  public void taken() {
    isTaking = false;
  }

  /** The connection has ended, or the worker gives it up. */
  public void disconnected() {
    Violation.unless(
        !isTaking || wasCallGivenUp, worker, " has lost the payload of a call that waits");
    isTaking = false;
    isAgreed = false;
    sent.clear();
  }

  private static LogEntry decoded(byte[] bytes) {
    try {
      return LogEntryCodec.decodeSent(bytes);
    } catch (DecodeException e) {
      throw new Violation("the leader has sent what is no entry: " + e.getMessage());
    }
  }
}

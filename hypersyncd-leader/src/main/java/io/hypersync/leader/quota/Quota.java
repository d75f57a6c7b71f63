package io.hypersync.leader.quota;

import java.util.Locale;

/** Why something that a worker has sent was not taken. */
public enum Quota {
  /** An open-lease on a node that is not in the newest state: ignored. */
  LEASE_OF_UNKNOWN_NODE("open-leases on nodes that do not exist"),

  /** One open-lease too many ({@link WorkerQuotas#openLeases}): ignored. */
  LEASES("more open-leases than it may have"),

  /** A lock of a node that is not in the newest state: ENOLCK. */
  LOCK_OF_UNKNOWN_NODE("locks of nodes that do not exist"),

  /** One lock, or one piece of a lock, too many ({@link WorkerQuotas#locks}): ENOLCK. */
  LOCKS("more locks than it may have"),

  /** One request too many that waits for a lock ({@link WorkerQuotas#lockWaits}): ENOLCK. */
  LOCK_WAITS("more requests that wait for locks than it may have"),

  /**
   * A lock message while too many answers are unconfirmed ({@link
   * WorkerQuotas#unconfirmedAnswers}): not taken.
   */
  UNCONFIRMED_ANSWERS("lock messages and confirms no answers"),

  /**
   * An intent for whose size there is no room beside those that wait ({@link
   * WorkerQuotas#pendingIntentBytes}): EAGAIN.
   */
  PENDING_INTENT_BYTES("intents too large to wait beside its others"),

  /** A chunk for which no intent has come ({@link WorkerQuotas#unaskedBytes}): dropped. */
  UNASKED_CHUNKS("more chunks that no intent mentions than it may"),

  /** One connection too many that says no Hello ({@link WorkerQuotas#silentSessions}): closed. */
  SILENT_SESSIONS("connections that say no Hello"),

  /** An intent that no call of a program makes: EINVAL, or what its fault is. */
  SENSELESS_INTENTS("intents that make no sense"),

  /** An intent of a client that is another worker's: EPERM. */
  FOREIGN_INTENTS("intents of clients of another worker");

  private final String what;

  Quota(String what) {
    this.what = what;
  }

  /** What the worker sends, for people. */
  String what() {
    return what;
  }

  /** The key in {@code docs/json.md}. */
  public String key() {
    return name().toLowerCase(Locale.ROOT);
  }
}

package io.hypersync.leader.quota;

import java.util.Locale;

/** Kinds of refusals: why something that a worker has sent was not taken. */
public enum Quota {
  /** An open-lease on a node that is not in the newest state: ignored. */
  LEASE_OF_UNKNOWN_NODE("open-leases on nodes that do not exist"),

  /** An open-lease beyond {@link WorkerQuotas#openLeases}: ignored. */
  LEASES("more open-leases than it may have"),

  /** A lock of a node that is not in the newest state: ENOLCK. */
  LOCK_OF_UNKNOWN_NODE("locks of nodes that do not exist"),

  /** A lock, or a piece of a lock, beyond {@link WorkerQuotas#locks}: ENOLCK. */
  LOCKS("more locks than it may have"),

  /** A lock request beyond {@link WorkerQuotas#lockWaits} that would wait: ENOLCK. */
  LOCK_WAITS("more requests that wait for locks than it may have"),

  /**
   * A lock message while too many answers are unconfirmed ({@link
   * WorkerQuotas#unconfirmedAnswers}): not taken, so the worker must send it again.
   */
  UNCONFIRMED_ANSWERS("lock messages and confirms no answers"),

  /**
   * An intent that is too large to wait beside the others ({@link
   * WorkerQuotas#pendingIntentBytes}): EAGAIN.
   */
  PENDING_INTENT_BYTES("intents too large to wait beside its others"),

  /** A chunk without an intent, beyond {@link WorkerQuotas#unrequestedBytes}: dropped. */
  UNREQUESTED_CHUNKS("more chunks that no intent mentions than it may"),

  /** A connection without a Hello, beyond {@link WorkerQuotas#silentSessions}: closed. */
  SILENT_SESSIONS("connections that say no Hello"),

  /** An intent that no system call produces: EINVAL, or a more specific errno. */
  SENSELESS_INTENTS("intents that make no sense"),

  /** An intent of a client that belongs to another worker: EPERM. */
  FOREIGN_INTENTS("intents of clients of another worker");

  private final String what;

  Quota(String what) {
    this.what = what;
  }

  /** What the worker sends, as a phrase for log lines. */
  String what() {
    return what;
  }

  /** The key in {@code docs/json.md}. */
  public String key() {
    return name().toLowerCase(Locale.ROOT);
  }
}

package io.hypersync.leader.recovery;

/** An intact log entry that replay rejects: the leader must not start. */
public final class ReplayException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  ReplayException(long index, String what) {
    super("log entry " + index + " cannot be replayed: " + what);
  }
}

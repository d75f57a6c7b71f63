package io.hypersync.leader.oplog;

/**
 * Passes everything on to another listener. For those that look at entries on their way: what they
 * do not look at is not lost.
 */
public abstract class ForwardingListener implements RecoveryListener {
  private final RecoveryListener next;

  /** Passes on to this one. */
  protected ForwardingListener(RecoveryListener next) {
    this.next = next;
  }

  @Override
  public Verdict onRecord(long index, byte[] payload) {
    return next.onRecord(index, payload);
  }

  @Override
  public long firstNeeded(long first) {
    return next.firstNeeded(first);
  }

  @Override
  public void sealed(long last) {
    next.sealed(last);
  }

  @Override
  public void ended() {
    next.ended();
  }
}

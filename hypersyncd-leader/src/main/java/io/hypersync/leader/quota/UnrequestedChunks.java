package io.hypersync.leader.quota;

import io.hypersync.model.id.WorkerId;
import java.util.HashMap;
import java.util.Map;

/**
 * Credit for chunks that arrive before any intent that needs them. Chunks and intents travel on
 * separate streams, so some always do; but a chunk that no intent mentions is never read and stays
 * on the disk. So each worker has a credit in bytes for such chunks, which is restored by an intent
 * that mentions them, and by time. A chunk beyond the credit is dropped, and from then on the
 * leader does not rely on the worker's list of chunks sent along. On the agent's thread.
 */
public final class UnrequestedChunks {
  /** How long it takes to restore a used-up credit completely. */
  private static final long WHOLE_AGAIN_NS = 60_000_000_000L;

  /** Charged per chunk besides its bytes, so that tiny chunks are bounded too. */
  private static final int OVERHEAD_BYTES = 256;

  private final long creditBytes;
  private final Map<WorkerId, Account> accounts = new HashMap<>();

  private static final class Account {
    private double used;
    private long asOfNs;
    private boolean dropped;
    private long droppedNs;
  }

  /**
   * Starts with full credits.
   *
   * @param creditBytes of each worker
   */
  public UnrequestedChunks(long creditBytes) {
    this.creditBytes = creditBytes;
  }

  /** Whether to take a chunk of this length that no intent waits for; charges the credit if so. */
  public boolean takes(WorkerId worker, int bytes, long nowNs) {
    Account account = accounts.computeIfAbsent(worker, _ -> new Account());
    recover(account, nowNs);
    double used = account.used + bytes + OVERHEAD_BYTES;
    if (used > creditBytes) {
      account.dropped = true;
      account.droppedNs = nowNs;
      return false;
    }
    account.used = used;
    return true;
  }

  /**
   * Restores the credit for chunks that an intent of this worker mentions and that are here.
   *
   * @param bytes their total length
   */
  public void mentioned(WorkerId worker, int chunks, long bytes) {
    Account account = accounts.get(worker);
    if (account != null) {
      account.used = Math.max(0, account.used - bytes - (double) chunks * OVERHEAD_BYTES);
    }
  }

  /** Whether a chunk of this worker was dropped in the last minute. */
  public boolean hasDropped(WorkerId worker, long nowNs) {
    Account account = accounts.get(worker);
    if (account == null) {
      return false;
    }
    recover(account, nowNs);
    return account.dropped;
  }

  private void recover(Account account, long nowNs) {
    if (account.used > 0) {
      double back = (double) (nowNs - account.asOfNs) / WHOLE_AGAIN_NS * creditBytes;
      account.used = Math.max(0, account.used - back);
    }
    account.asOfNs = nowNs;
    // By time, not by credit: restored credit may have been charged for other chunks than the
    // dropped one.
    account.dropped &= nowNs - account.droppedNs < WHOLE_AGAIN_NS;
  }
}

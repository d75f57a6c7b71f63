package io.hypersync.leader.quota;

import io.hypersync.model.id.WorkerId;
import java.util.HashMap;
import java.util.Map;

/**
 * Chunks that come before any intent that waits for them. Chunks and intents travel on streams of
 * their own, so some always do; but nothing ever reads what no intent mentions, and it stays on the
 * disk. So a worker has a credit of such bytes: an intent that mentions them gives it back, and so
 * does time. What comes beyond it is dropped, and then what the worker says that it has sent along
 * need not be here. On the agent's thread.
 */
public final class UnaskedChunks {
  /** A credit that is used up is whole again after this. */
  private static final long WHOLE_AGAIN_NS = 60_000_000_000L;

  /** What each takes besides its bytes, so that small ones are no way out. */
  private static final int OVERHEAD_BYTES = 256;

  private final long creditBytes;
  private final Map<WorkerId, Account> accounts = new HashMap<>();

  private static final class Account {
    private double used;
    private long asOfNs;
    private boolean dropped;
    private long droppedNs;
  }

  /** Everybody has this credit. */
  public UnaskedChunks(long creditBytes) {
    this.creditBytes = creditBytes;
  }

  /** Whether a chunk of so many bytes, which nobody waits for, is to be taken. */
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

  /** An intent of this worker mentions chunks that are here. */
  public void mentioned(WorkerId worker, int chunks, long bytes) {
    Account account = accounts.get(worker);
    if (account != null) {
      account.used = Math.max(0, account.used - bytes - (double) chunks * OVERHEAD_BYTES);
    }
  }

  /** Whether a chunk of this worker was dropped a short while ago. */
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
    // By time, not by the credit: what is given back was charged for other chunks perhaps.
    account.dropped &= nowNs - account.droppedNs < WHOLE_AGAIN_NS;
  }
}

package io.hypersync.bench.micro;

import io.hypersync.leader.oplog.CommittedBatch;
import io.hypersync.leader.oplog.OpLogFailedException;
import io.hypersync.leader.oplog.OpLogListener;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Lets one thread wait until the log has made entries durable. */
final class Durability implements OpLogListener {
  private volatile @Nullable Thread waiting;
  private volatile long durableIndex;
  private volatile @Nullable OpLogFailedException failure;

  /** Blocks until this index is durable; only one thread may wait at a time. */
  void await(long index) {
    while (durableIndex < index) {
      park(durableIndex);
    }
  }

  /**
   * Blocks until the durable index differs from {@code seenIndex}; may also return spuriously.
   *
   * @throws OpLogFailedException if the log has failed
   */
  void park(long seenIndex) {
    waiting = Thread.currentThread();
    OpLogFailedException failed = failure;
    if (failed != null) {
      throw failed;
    }
    if (durableIndex == seenIndex) {
      LockSupport.park(this);
    }
    waiting = null;
  }

  /** Returns the newest durable index that the log has reported. */
  long index() {
    return durableIndex;
  }

  @Override
  public void onDurable(CommittedBatch batch) {
    durableIndex = batch.lastIndex();
    LockSupport.unpark(waiting);
  }

  @Override
  public void onFailure(OpLogFailedException failed) {
    failure = failed;
    LockSupport.unpark(waiting);
  }
}

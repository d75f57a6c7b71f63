package io.hypersync.bench.micro;

import io.hypersync.leader.oplog.CommittedBatch;
import io.hypersync.leader.oplog.OpLogFailedException;
import io.hypersync.leader.oplog.OpLogListener;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Wakes one thread whenever a batch of the log has become durable. */
final class Durability implements OpLogListener {
  private volatile @Nullable Thread waiting;
  private volatile long durableIndex;
  private volatile @Nullable OpLogFailedException failure;

  /** Waits for an index; by one thread at a time. */
  void await(long index) {
    while (durableIndex < index) {
      park(durableIndex);
    }
  }

  /** Waits until more is durable than this index. */
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

  /** The newest durable index that was heard of. */
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

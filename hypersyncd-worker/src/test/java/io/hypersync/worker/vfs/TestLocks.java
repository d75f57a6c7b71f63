package io.hypersync.worker.vfs;

import io.hypersync.worker.lock.Holdings;
import io.hypersync.worker.lock.LockCall;
import io.hypersync.worker.lock.LockKey;
import java.util.ArrayList;
import java.util.List;

/** Records the lock calls that the vfs submits. */
final class TestLocks implements Locks {
  final List<LockCall> calls = new ArrayList<>();
  final List<LockKey> released = new ArrayList<>();
  final List<Long> interrupted = new ArrayList<>();
  private final Holdings holdings = new Holdings();

  @Override
  public Holdings holdings() {
    return holdings;
  }

  @Override
  public void submit(LockCall call) {
    calls.add(call);
  }

  @Override
  public void release(LockKey key, Runnable done) {
    released.add(key);
    done.run();
  }

  @Override
  public void interrupted(long unique) {
    interrupted.add(unique);
  }
}

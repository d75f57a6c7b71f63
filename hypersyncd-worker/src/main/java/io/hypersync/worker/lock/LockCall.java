package io.hypersync.worker.lock;

import io.hypersync.model.lock.LockMode;
import io.hypersync.model.lock.LockRange;
import io.hypersync.wire.message.WorkerMessage.LockRequest.Wish;
import io.hypersync.worker.fuse.protocol.RequestId;
import org.jspecify.annotations.Nullable;

/**
 * A call of flock(2) or fcntl(2).
 *
 * @param unique the number of its FUSE request, by which it can be interrupted
 * @param pid the process
 * @param mode null to unlock
 * @param wish what to do about a conflicting lock
 * @param ending receives the outcome
 */
public record LockCall(
    RequestId unique,
    OwnerLockKey key,
    int pid,
    LockRange range,
    @Nullable LockMode mode,
    Wish wish,
    LockCompletion ending) {}

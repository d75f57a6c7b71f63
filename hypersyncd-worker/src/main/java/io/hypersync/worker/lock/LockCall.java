package io.hypersync.worker.lock;

import io.hypersync.model.lock.LockMode;
import io.hypersync.model.lock.LockRange;
import io.hypersync.wire.message.WorkerMessage.LockRequest.Wish;
import org.jspecify.annotations.Nullable;

/**
 * A call of flock(2) or fcntl(2).
 *
 * @param unique the kernel's number of the request, by which it can be interrupted
 * @param pid the process
 * @param mode null unlocks
 * @param wish what to do when somebody is in the way
 * @param ending told how it ended
 */
public record LockCall(
    long unique,
    LockKey key,
    int pid,
    LockRange range,
    @Nullable LockMode mode,
    Wish wish,
    LockEnding ending) {}

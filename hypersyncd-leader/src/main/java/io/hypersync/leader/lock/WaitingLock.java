package io.hypersync.leader.lock;

import io.hypersync.model.id.IntentId;
import io.hypersync.model.lock.LockMode;
import io.hypersync.model.lock.LockRange;

/**
 * A request for a lock that is not granted yet.
 *
 * @param intent id of the request
 * @param pid the requesting process, for F_GETLK
 */
record WaitingLock(
    IntentId intent, FileLockKey file, LockOwner owner, int pid, LockRange range, LockMode mode) {}

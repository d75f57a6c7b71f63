package io.hypersync.leader.lock;

import io.hypersync.model.id.IntentId;
import io.hypersync.model.lock.LockMode;
import io.hypersync.model.lock.LockRange;

/**
 * A lock that somebody wants.
 *
 * @param intent the request, which names it
 * @param pid the process, for F_GETLK
 */
record WaitingLock(
    IntentId intent, LockKey file, LockOwner owner, int pid, LockRange range, LockMode mode) {}

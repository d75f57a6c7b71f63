package io.hypersync.leader.lock;

/**
 * Statistics of the lock manager, for status reports.
 *
 * @param held locks held now; all locks of one owner on one file count as one
 * @param waiting requests waiting now
 * @param expiring locks held now whose lease has ended and that are in their grace period
 * @param requests since the start
 * @param contended requests that met a conflicting lock
 * @param deadlocks requests refused because of a deadlock
 * @param expired locks freed because they were not renewed
 * @param reclaimed locks freed because their worker was restarted
 * @param fenced intents refused because locks were lost that they were made under
 */
public record LockCounters(
    int held,
    int waiting,
    int expiring,
    long requests,
    long contended,
    long deadlocks,
    long expired,
    long reclaimed,
    long fenced) {}

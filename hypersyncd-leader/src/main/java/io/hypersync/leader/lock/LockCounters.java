package io.hypersync.leader.lock;

/**
 * How the locks are, for status reports.
 *
 * @param held locks now; one owner's of one file count as one
 * @param waiting requests that wait now
 * @param expiring locks now whose lease has ended, in their grace
 * @param requests since the start
 * @param contended of these, how many found somebody in the way
 * @param deadlocks of these, how many would have waited for themselves
 * @param expired locks that were freed because they were not renewed
 * @param reclaimed locks that were freed because their worker started again
 */
public record LockCounters(
    int held,
    int waiting,
    int expiring,
    long requests,
    long contended,
    long deadlocks,
    long expired,
    long reclaimed) {}

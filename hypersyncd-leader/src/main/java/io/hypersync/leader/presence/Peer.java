package io.hypersync.leader.presence;

import io.hypersync.model.id.WorkerId;

/**
 * A worker that is there, as one looks at it.
 *
 * @param session names its lease; random
 * @param isOnline whether it has a connection
 * @param address where it is, or was last, connected from
 * @param joinedEpochNs when its lease began, in nanoseconds since 1970; for a lease that began
 *     under an earlier run of the leader, when it was taken over
 * @param sinceNs since when it has been online or offline, on the monotonic clock
 * @param untilNs when its lease ends unless it comes back, on the monotonic clock; meaningless
 *     while it is online
 * @param resumes how often it has come back within its lease
 * @param reason why it is offline, for a person; empty while it is online; untrusted text
 */
public record Peer(
    WorkerId worker,
    long session,
    boolean isOnline,
    String address,
    long joinedEpochNs,
    long sinceNs,
    long untilNs,
    long resumes,
    String reason) {}

/**
 * Advisory locks of all workers (hypersync.md 10.2): runtime state of one leader, not in the log.
 *
 * <p>The protocol. Each run of a worker has one lock session. The worker numbers the requests of a
 * session, the leader numbers the answers. After a reconnect, the worker sends unanswered requests
 * again, in order, and the leader takes each number once; the leader sends unconfirmed answers
 * again, in order, and the worker takes each number once. So both sides see the same over any
 * number of connections as over one that never broke. Only the session itself can end, with all its
 * locks: because its lease expires, because another run of the worker begins, or with the leader.
 * Every session has a different random number, which Welcome carries: a worker that finds another
 * number than before knows that all its locks are lost.
 */
@NullMarked
package io.hypersync.leader.lock;

import org.jspecify.annotations.NullMarked;

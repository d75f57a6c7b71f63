/**
 * Advisory locks of all workers (hypersync.md 10.2): runtime state of one leader, not in the log.
 *
 * <p>The protocol. Each run of a worker has one lock session, in which requests are numbered by the
 * worker and answers by the leader. What is unanswered the worker sends again after a reconnect, in
 * order, and the leader takes each number once; what is unconfirmed the leader answers again after
 * a reconnect, in order, and the worker takes each number once. So over any number of connections
 * both sides see what they would see over one that never broke. The one thing that can end besides
 * is the session, with all its locks: by its lease, by another run of the worker, or with the
 * leader. Every session has another random number, which Welcome carries: a worker that finds
 * another one than before knows that all its locks are lost.
 */
@NullMarked
package io.hypersync.leader.lock;

import org.jspecify.annotations.NullMarked;

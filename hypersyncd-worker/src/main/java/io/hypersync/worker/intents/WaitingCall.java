package io.hypersync.worker.intents;

import io.hypersync.worker.fuse.protocol.RequestId;

/**
 * A call that has to wait before it can go on. Exactly one of the two callbacks is run, once, on
 * the agent's thread or before the method that takes the call returns.
 *
 * @param unique the number of its request
 * @param ready run when the wait is over
 * @param interrupted run instead when the caller is about to end
 */
public record WaitingCall(RequestId unique, Runnable ready, Runnable interrupted) {}

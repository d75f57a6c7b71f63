package io.hypersync.worker.intents;

/**
 * A call that waits for others before it can go on. One of the two is run, once, on the agent's
 * thread or at once.
 *
 * @param unique the number of its request
 * @param ready the wait is over
 * @param interrupted its caller is about to end and waits no longer
 */
public record WaitingCall(long unique, Runnable ready, Runnable interrupted) {}

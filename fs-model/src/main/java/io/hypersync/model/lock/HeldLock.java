package io.hypersync.model.lock;

/** A locked byte range of one owner, and the mode in which it is held. */
public record HeldLock(LockRange range, LockMode mode) {}

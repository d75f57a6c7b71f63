package io.hypersync.model.lock;

/** Bytes that are locked, and how. */
public record HeldLock(LockRange range, LockMode mode) {}

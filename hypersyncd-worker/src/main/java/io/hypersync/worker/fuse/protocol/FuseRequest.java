package io.hypersync.worker.fuse.protocol;

/**
 * One filesystem request of the kernel.
 *
 * @param header who asks, about which node
 * @param operation what is asked
 */
public record FuseRequest(RequestHeader header, FuseOperation operation) {}

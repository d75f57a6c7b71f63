package io.hypersync.worker.fuse.protocol;

/**
 * The answer to a lookup, and to whatever creates a name. Each one that reaches the kernel counts
 * as one lookup of the node, to be taken back by a FORGET.
 *
 * @param nodeId the node, at least 1
 * @param generation tells apart nodes that had the same id one after the other
 * @param attr its attributes
 * @param entryTtlNs how long the kernel may keep the name, nanoseconds, at least 0
 * @param attrTtlNs how long the kernel may keep the attributes, nanoseconds, at least 0
 */
public record FuseEntry(
    long nodeId, long generation, FuseAttr attr, long entryTtlNs, long attrTtlNs) {}

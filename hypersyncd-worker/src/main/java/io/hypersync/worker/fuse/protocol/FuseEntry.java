package io.hypersync.worker.fuse.protocol;

import io.hypersync.model.id.InodeNo;

/**
 * The reply to a lookup, and to every request that creates a name. Each one that reaches the kernel
 * counts as one lookup of the node, until a FORGET takes it back.
 *
 * @param nodeId the node, at least 1
 * @param generation distinguishes nodes that have had the same id at different times
 * @param attr its attributes
 * @param entryTtlNs how long the kernel may cache the name, nanoseconds, at least 0
 * @param attrTtlNs how long the kernel may cache the attributes, nanoseconds, at least 0
 */
public record FuseEntry(
    InodeNo nodeId, long generation, FuseAttr attr, long entryTtlNs, long attrTtlNs) {}

package io.hypersync.worker.coherence;

import io.hypersync.model.id.NodeId;

/**
 * A directory that has another name, or is in another directory.
 *
 * @param node the directory
 * @param inode its inode number
 * @param place where it is now
 */
public record MovedDirectory(NodeId node, long inode, CachedName place) {}

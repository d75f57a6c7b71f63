package io.hypersync.worker.coherence;

import io.hypersync.model.id.InodeNo;
import io.hypersync.model.id.NodeId;

/**
 * A directory that an entry renames, perhaps into another directory.
 *
 * @param node the directory
 * @param inode its inode number
 * @param place its new place
 */
public record MovedDirectory(NodeId node, InodeNo inode, CachedName place) {}

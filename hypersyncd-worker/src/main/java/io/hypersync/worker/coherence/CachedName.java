package io.hypersync.worker.coherence;

import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;

/**
 * A name of a directory as the kernel may have it cached, leading somewhere or to nothing.
 *
 * @param parent the directory
 * @param directory its inode number
 * @param name the name in it
 */
public record CachedName(NodeId parent, long directory, Name name) {}

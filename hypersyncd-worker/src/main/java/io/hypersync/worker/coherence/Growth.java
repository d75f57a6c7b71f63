package io.hypersync.worker.coherence;

import io.hypersync.model.id.InodeNo;

/**
 * An entry makes a regular file longer.
 *
 * @param inode its inode number
 * @param size its new size in bytes, at least 1
 */
public record Growth(InodeNo inode, long size) {}

package io.hypersync.worker.coherence;

/**
 * An entry makes a regular file longer.
 *
 * @param inode its inode number
 * @param size its new size in bytes, at least 1
 */
public record Growth(long inode, long size) {}

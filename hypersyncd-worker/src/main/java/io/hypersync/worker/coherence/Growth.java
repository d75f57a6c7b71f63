package io.hypersync.worker.coherence;

/**
 * A regular file becomes longer.
 *
 * @param inode its inode number
 * @param size its length afterwards, in bytes, at least 1
 */
public record Growth(long inode, long size) {}

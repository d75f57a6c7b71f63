package io.hypersync.worker.local;

/**
 * A file of this host. An inode number is used again after its file is gone, so the time of birth
 * belongs to it.
 *
 * @param device the filesystem's number
 * @param inode the inode number there
 * @param bornNs birth time in nanoseconds since 1970; 0 if the filesystem has none
 */
public record HostId(long device, long inode, long bornNs) {}

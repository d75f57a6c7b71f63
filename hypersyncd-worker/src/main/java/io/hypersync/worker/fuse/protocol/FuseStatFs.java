package io.hypersync.worker.fuse.protocol;

/**
 * The filesystem's totals, as statfs(2) shows them.
 *
 * @param blocks size, in units of {@code frsize}
 * @param bfree free space, likewise
 * @param bavail free space for users other than root, likewise
 * @param files number of inodes
 * @param ffree number of free inodes
 * @param bsize preferred I/O size in bytes
 * @param namelen longest name in bytes
 * @param frsize the unit, in bytes
 */
public record FuseStatFs(
    long blocks,
    long bfree,
    long bavail,
    long files,
    long ffree,
    int bsize,
    int namelen,
    int frsize) {}

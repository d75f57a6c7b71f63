package io.hypersync.worker.fuse.protocol;

/**
 * A byte range lock, as in fcntl(2).
 *
 * @param start first byte
 * @param end last byte, inclusive; {@link Long#MAX_VALUE} is the end of the file however long
 * @param type 0 shared (F_RDLCK), 1 exclusive (F_WRLCK), 2 none (F_UNLCK)
 * @param pid the process that holds or wants it
 */
public record FuseLock(long start, long end, int type, int pid) {}

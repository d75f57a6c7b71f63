package io.hypersync.leader.backup;

/**
 * How far a copy is.
 *
 * @param chunks of files and extended attributes that the walk has come to
 * @param pages that it has come to
 * @param copiedChunks those of them that were not there yet
 * @param copiedPages the same for pages
 * @param copiedBytes of both
 */
public record CopyProgress(
    long chunks, long pages, long copiedChunks, long copiedPages, long copiedBytes) {}

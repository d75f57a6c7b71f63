package io.hypersync.leader.oplog;

/**
 * One segment of a log, for status reports and for decisions on what to trim. When it was written
 * is in its entries: the time of the first one is one {@link OpLog#read(long)} away.
 *
 * @param firstIndex the first entry that it holds, or will hold
 * @param lastIndex the last durable entry in it; {@code firstIndex - 1} if there is none
 * @param bytes the length of its file, for the newest segment with the room that is allocated ahead
 */
public record LogSegment(long firstIndex, long lastIndex, long bytes) {}

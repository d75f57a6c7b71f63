package io.hypersync.coordination.cas;

/**
 * What a store has under a key.
 *
 * @param value the bytes, which nobody changes; none for a record that was emptied
 * @param revision of the write that has left them
 */
public record CasRecord(byte[] value, long revision) {}

package io.hypersync.model.undo;

import io.hypersync.model.hazard.Author;

/**
 * Who has changed something, and by which entry.
 *
 * @param index of the entry
 */
public record Toucher(long index, Author author) {}

package io.hypersync.leader.mail;

import io.hypersync.model.hazard.Author;
import io.hypersync.model.log.LogEntry;

/**
 * What a mail needs of an entry with hazards.
 *
 * @param index of the entry
 * @param timeNs of the entry, in nanoseconds since 1970
 * @param author who made the call
 * @param report the encoded hazards; must not be changed
 */
public record LoggedHazards(long index, long timeNs, Author author, byte[] report) {
  /** Those of an entry, without its content. */
  public static LoggedHazards of(LogEntry entry) {
    return new LoggedHazards(
        entry.index(),
        entry.committedAtNs(),
        new Author(entry.agent(), entry.origin()),
        entry.hazard());
  }
}

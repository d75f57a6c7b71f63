package io.hypersync.leader.port;

/**
 * Who needs what a collection keeps, and since when. For reports: no decision depends on it.
 *
 * @param log why the log is kept from {@link CollectionRoots#logAfter} on
 * @param openOn the workers that have files open which have no name, separated by commas
 * @param uploadsSinceNs when the oldest intent came that is not decided, or the first chunk of it,
 *     in nanoseconds since 1970; 0 if there is none
 */
public record PinNotes(LogKeeper log, String openOn, long uploadsSinceNs) {
  /** Nothing is known. */
  public static final PinNotes NONE = new PinNotes(LogKeeper.SNAPSHOT, "", 0);
}

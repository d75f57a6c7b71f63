package io.hypersync.leader.daemon;

import io.hypersync.leader.lineage.Term;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.log.LogEvent;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The file {@code term} in the leader's state directory; not there before the first takeover. */
public final class TermFile {
  private static final Logger LOG = LoggerFactory.getLogger(TermFile.class);
  private static final String NAME = "term";
  private static final int MAX_BYTES = 1_024;

  private TermFile() {}

  /**
   * Reads the term in which a state is led.
   *
   * @throws UserError if the file cannot be read: with a lower term the leader would be refused
   */
  public static Term read(Path stateDir) {
    return StateText.read(stateDir.resolve(NAME), MAX_BYTES, Term::parse, Term.FIRST);
  }

  /**
   * Begins the next term, durably: from now on whoever leads another copy of this state is deposed
   * as soon as a worker has seen this one.
   *
   * @throws UserError if the file cannot be read or written
   */
  public static void takeOver(Path stateDir) {
    takeOver(stateDir, read(stateDir).next());
  }

  /**
   * The same, in a term that is known: that may be done twice.
   *
   * @throws UserError if the file cannot be written
   */
  public static void takeOver(Path stateDir, Term next) {
    StateText.replace(stateDir.resolve(NAME), next.toText());
    LOG.warn(
        LogEvent.PROMOTED.marker().with("term", next.number()),
        "{} is led in term {} from now on",
        stateDir,
        next.number());
  }
}

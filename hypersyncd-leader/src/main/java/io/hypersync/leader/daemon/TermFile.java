package io.hypersync.leader.daemon;

import io.hypersync.leader.lineage.Term;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.file.DurableFiles;
import io.hypersync.runtime.file.FileProblems;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
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
    Path file = stateDir.resolve(NAME);
    try (InputStream in = Files.newInputStream(file)) {
      Term read = Term.parse(new String(in.readNBytes(MAX_BYTES), StandardCharsets.US_ASCII));
      if (read == null) {
        throw new UserError(
            file + " is damaged",
            "Restore it from a copy. If there is none, remove it, and start the leader with"
                + " --force-rewind <name>.");
      }
      return read;
    } catch (NoSuchFileException never) {
      return Term.FIRST;
    } catch (IOException e) {
      throw unusable(file, e);
    }
  }

  /**
   * Begins the next term, durably: from now on whoever leads another copy of this state is deposed
   * as soon as a worker has seen this one.
   *
   * @throws UserError if the file cannot be read or written
   */
  public static void takeOver(Path stateDir) {
    takeOver(stateDir, read(stateDir));
  }

  /**
   * The same, from a leader whose term is known: that may be done twice.
   *
   * @throws UserError if the file cannot be written
   */
  public static void takeOver(Path stateDir, Term before) {
    Term next = before.next();
    Path file = stateDir.resolve(NAME);
    try {
      DurableFiles.replace(file, next.toText(), PosixFilePermissions.fromString("rw-------"));
    } catch (IOException e) {
      throw unusable(file, e);
    }
    LOG.warn("{} is led in term {} from now on", stateDir, next.number());
  }

  private static UserError unusable(Path file, IOException e) {
    return new UserError(
        "cannot use " + file + ": " + FileProblems.describe(e), FileProblems.hint(e, ""));
  }
}

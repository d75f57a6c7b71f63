package io.hypersync.leader.daemon;

import io.hypersync.leader.lineage.Deposition;
import io.hypersync.leader.lineage.Lineage;
import io.hypersync.model.id.WorkerId;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.file.DurableFiles;
import io.hypersync.runtime.file.FileProblems;
import io.hypersync.runtime.text.ShellWords;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The file {@code deposed} in the state directory of a leader that has learnt of another one. While
 * it is there, and no rewind has begun another lineage, the state is not led: a start would serve
 * those workers that have not heard of the other leader yet. A standby takes such a directory over
 * ({@code leader.standby}).
 */
public final class DeposedFile {
  private static final String NAME = "deposed";
  private static final int MAX_BYTES = 1_024;

  /** What is read if there is no file. */
  private static final Deposition NOBODY = new Deposition(0, 0, new WorkerId("nobody"));

  private DeposedFile() {}

  /**
   * What a state directory remembers; empty if nobody has deposed its leader.
   *
   * @throws UserError if the file cannot be read or is damaged
   */
  public static Optional<Deposition> read(Path stateDir) {
    Deposition read = StateText.read(stateDir.resolve(NAME), MAX_BYTES, Deposition::parse, NOBODY);
    return read.equals(NOBODY) ? Optional.empty() : Optional.of(read);
  }

  /**
   * Remembers it, durably.
   *
   * @throws UserError if it cannot be written
   */
  public static void write(Path stateDir, Deposition deposition) {
    StateText.replace(stateDir.resolve(NAME), deposition.toText());
  }

  /** Forgets it, durably; does nothing if there is nothing to forget. */
  public static void remove(Path stateDir) throws IOException {
    if (Files.deleteIfExists(stateDir.resolve(NAME))) {
      DurableFiles.syncDirectory(stateDir);
    }
  }

  /** Forgets it, as {@link #remove}, at a rewind: the state is of another lineage now. */
  static void givenUp(Path stateDir) {
    try {
      remove(stateDir);
    } catch (IOException e) {
      throw new UserError(
          "cannot use " + stateDir + ": " + FileProblems.describe(e), FileProblems.hint(e, ""));
    }
  }

  /** Whether the leader of this state was deposed, and the state was not rewound since. */
  public static boolean isDeposed(Path stateDir) {
    Optional<Deposition> known = read(stateDir);
    return known.isPresent()
        && known.get().concerns(LineageFile.read(stateDir), TermFile.read(stateDir));
  }

  /**
   * Refuses a state whose leader was deposed.
   *
   * @param rewind the name of a rewind that is to be made; one that was not made before gives up
   *     what the other leader has
   * @throws UserError if it is not to be led
   */
  public static void refuse(Path stateDir, Optional<String> rewind) {
    Optional<Deposition> known = read(stateDir);
    if (known.isEmpty()) {
      return;
    }
    Lineage lineage = LineageFile.read(stateDir);
    boolean isGivenUp = rewind.isPresent() && !LineageFile.isDone(lineage, rewind.get());
    if (!isGivenUp && known.get().concerns(lineage, TermFile.read(stateDir))) {
      throw refusal(stateDir, known.get());
    }
  }

  private static UserError refusal(Path stateDir, Deposition known) {
    return new UserError(
        "another leader has taken this workspace over: worker "
            + known.worker()
            + " has seen it, in term "
            + known.term()
            + "; the state "
            + stateDir
            + " is not led any more",
        "Let this host follow that leader; what only this state has is kept and named:\n"
            + "  ./hypersync standby --dir <workspace folder> --token <its token> --state-dir "
            + ShellWords.quoted(stateDir)
            + "\nIf there is no other leader any more, and this state is to be led:"
            + " ./hypersync leader --force-rewind <name> ... (docs/leadership.md)");
  }
}

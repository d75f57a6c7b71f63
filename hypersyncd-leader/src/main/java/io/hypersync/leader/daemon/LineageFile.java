package io.hypersync.leader.daemon;

import io.hypersync.leader.lineage.Lineage;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.agent.Clock;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;

/** The file {@code lineage} in the leader's state directory; not there before the first rewind. */
public final class LineageFile {
  private static final String NAME = "lineage";
  private static final int MAX_BYTES = 64 << 10;

  private LineageFile() {}

  /**
   * Reads the lineage of a state.
   *
   * @throws UserError if the file cannot be read: without it, workers of a rewound state could not
   *     be told from those of another one
   */
  public static Lineage read(Path stateDir) {
    return StateText.read(stateDir.resolve(NAME), MAX_BYTES, Lineage::parse, Lineage.FIRST);
  }

  /**
   * Begins a new lineage with the state after an entry, durably.
   *
   * @throws UserError if the name cannot be one, or the file cannot be written
   */
  public static Lineage rewind(Path stateDir, Lineage before, long index, String name) {
    if (!Lineage.isName(name)) {
      throw new UserError(
          "a rewind has a name of 1 to " + Lineage.MAX_NAME + " printable ASCII characters",
          "Such as --force-rewind restored-on-monday",
          UserError.USAGE);
    }
    SecureRandom random = new SecureRandom();
    long id = 0;
    while (id == 0) {
      id = random.nextLong();
    }
    Lineage rewound = before.rewound(id, index, Clock.SYSTEM.epochNs() / 1_000_000, name);
    StateText.replace(stateDir.resolve(NAME), rewound.toText());
    DeposedFile.givenUp(stateDir);
    return rewound;
  }

  /**
   * Stores that a state is of a lineage which another leader has begun. What that was rewound to is
   * not known, unless this state was led in that lineage before: a worker that has not connected
   * since is refused, and has to be restarted.
   *
   * @param id 0 for a state that was never rewound
   * @throws UserError if the file cannot be written
   */
  public static void inherit(Path stateDir, long id) {
    if (read(stateDir).id() == id) {
      return; // it has led in that one itself, and knows more of it
    }
    StateText.replace(stateDir.resolve(NAME), new Lineage(id, List.of()).toText());
  }

  /** Whether there was a rewind of this name: a service may say it at each start. */
  public static boolean isDone(Lineage lineage, String name) {
    return lineage.rewinds().stream().anyMatch(rewind -> rewind.name().equals(name));
  }
}

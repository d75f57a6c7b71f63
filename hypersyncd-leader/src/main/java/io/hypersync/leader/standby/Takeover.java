package io.hypersync.leader.standby;

import io.hypersync.leader.lineage.Term;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import io.hypersync.model.state.StateChunks;
import io.hypersync.runtime.admin.UserError;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Predicate;

/** What decides whether a standby can lead, and makes it one that does. */
public final class Takeover {
  /** What a person is to do about a standby that cannot lead. */
  static final String OTHERWISE =
      "Let it follow its leader until ./hypersync status says that it can be promoted. If that"
          + " leader is gone for good, lead the newest backup: docs/leadership.md";

  private Takeover() {}

  /** What a takeover changes; each change is durable on return. */
  public interface Disk {
    /** The state is of this lineage from now on. */
    void inherit(long lineage) throws IOException;

    /** It is led in this term from now on. */
    void begin(Term term) throws IOException;

    /** It is no standby's from now on. */
    void unmark() throws IOException;
  }

  /**
   * Refuses a state that lacks content. Entries up to the last collection may have come without
   * their chunks; files may not.
   *
   * @throws UserError if chunks of files are missing
   */
  public static void requireChunks(FsState state, Predicate<Hash> isHere) {
    Set<Hash> missing = new HashSet<>();
    for (Node node : state.nodes()) {
      StateChunks.forEach(
          node,
          chunk -> {
            if (!isHere.test(chunk)) {
              missing.add(chunk);
            }
          });
    }
    if (!missing.isEmpty()) {
      throw new UserError(
          "this standby is not complete: "
              + missing.size()
              + " chunks of files have not been fetched yet",
          OTHERWISE);
    }
  }

  /**
   * Refuses a standby that no leader has ever accepted.
   *
   * @throws UserError if it is one
   */
  public static void requireFollowed(StandbyFile standby) {
    if (!standby.hasFollowed()) {
      throw new UserError("this standby has not followed any leader yet", OTHERWISE);
    }
  }

  /**
   * Refuses a state without entries.
   *
   * @param index its last one
   * @throws UserError if there is none
   */
  public static void requireEntries(long index) {
    if (index == 0) {
      throw new UserError("this standby has no entry: there is nothing to lead", OTHERWISE);
    }
  }

  /**
   * The term in which it would lead: above all that are known to it.
   *
   * @param known the highest that is known
   * @param least it is not lower than this; 0 if nobody has said one
   * @throws UserError if there is none
   */
  public static Term term(long known, long least) {
    if (known >= Term.MAX || least > Term.MAX) {
      throw new UserError("there is no term above " + Math.max(known, least), "");
    }
    return new Term(Math.max(known + 1, least));
  }

  /**
   * Makes the state of a standby that of a leader. After a crash in between it is still a
   * standby's, and the same is done again.
   *
   * @param term in which it is led from now on
   */
  public static void of(StandbyFile standby, Term term, Disk disk) throws IOException {
    disk.inherit(standby.lineage());
    disk.begin(term);
    disk.unmark();
  }
}

package io.hypersync.model.undo;

import io.hypersync.model.hazard.Author;
import io.hypersync.model.log.LogEntry;
import java.nio.charset.StandardCharsets;

/**
 * Whose entries are undone. The entries that an undo makes are of an author of their own, {@code
 * undo of <name>}, so that an undo can be undone like anything else.
 */
public final class UndoAgent {
  private static final String PREFIX = "undo of ";
  private static final int MOST_UNDOS = 32;

  private final String name;

  /** What an entry is to an undo. */
  public enum Role {
    /** The agent's own: it is undone. */
    OWN,
    /** Of an undo of the agent, or of an undo of that: neither undone nor in the way. */
    UNDO,
    /** Somebody else's: what it has changed is theirs. */
    OTHER
  }

  /**
   * An agent.
   *
   * @param name not empty
   */
  public UndoAgent(String name) {
    if (name.isEmpty()) {
      throw new IllegalArgumentException("an agent without a name");
    }
    this.name = name;
  }

  /** The agent's name. */
  public String name() {
    return name;
  }

  /** The author of an undo's entries; a name that is too long for that is cut. */
  public String undoer() {
    return undoer(name);
  }

  private static String undoer(String name) {
    String undoer = PREFIX + name;
    while (undoer.getBytes(StandardCharsets.UTF_8).length > LogEntry.MAX_AGENT_BYTES) {
      undoer = undoer.substring(0, undoer.offsetByCodePoints(undoer.length(), -1));
    }
    return undoer;
  }

  /**
   * The name that a process may have, which says that it is this agent; none if it claims to be an
   * undo: only the leader makes those, and they are in nobody's way.
   */
  public static String claimable(String name) {
    return name.regionMatches(true, 0, PREFIX, 0, PREFIX.length()) ? "" : name;
  }

  /** What an entry is, by its author. ASCII letters are the same in either case. */
  public Role role(LogEntry entry) {
    return role(entry.agent());
  }

  /** The same for an author. */
  public Role role(String author) {
    if (author.isEmpty()) {
      return Role.OTHER;
    }
    if (Author.isSameAgent(author, name)) {
      return Role.OWN;
    }
    if (!author.startsWith(PREFIX)) {
      return Role.OTHER;
    }
    String undoer = name;
    for (int i = 0; i < MOST_UNDOS; i++) {
      undoer = undoer(undoer);
      if (Author.isSameAgent(author, undoer)) {
        return Role.UNDO;
      }
    }
    return Role.OTHER;
  }
}

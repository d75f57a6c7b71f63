package io.hypersync.model.difference;

import io.hypersync.model.op.NodeType;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One thing that differs between two states.
 *
 * @param path below the root without a leading slash, printable; in the second state, or in the
 *     first one for REMOVED and UNLINKED
 * @param oldPath for MOVED the path in the first state, else null
 * @param type of the node
 * @param inode st_ino of the node, in the second state if it is there
 * @param aspects what differs, empty unless MOVED or CHANGED
 * @param oldSize bytes in the first state; 0 if the node was not there
 * @param newSize bytes in the second state; 0 if the node is not there
 */
public record Change(
    ChangeKind kind,
    String path,
    @Nullable String oldPath,
    NodeType type,
    long inode,
    Set<Aspect> aspects,
    long oldSize,
    long newSize) {
  /** Copies the set. */
  public Change {
    aspects = Set.copyOf(aspects);
  }
}

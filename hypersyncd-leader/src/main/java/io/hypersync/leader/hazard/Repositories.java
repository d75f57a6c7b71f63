package io.hypersync.leader.hazard;

import io.hypersync.model.hazard.CallPaths;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.NodeType;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import io.hypersync.model.trie.PageUnreadableException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds git repositories, and sees when one records work: when a branch is moved, or a line is
 * added to the log of one. That a working tree has its repository elsewhere, and so a file {@code
 * .git}, is not followed.
 */
final class Repositories {
  private static final byte[] DIRECTORY = ".git".getBytes(StandardCharsets.UTF_8);
  private static final Name DIRECTORY_NAME = Name.of(DIRECTORY);

  /** What is in there, or below it, says where branches are. */
  private static final Set<String> BRANCHES = Set.of("HEAD", "refs", "logs", "packed-refs");

  /** A file that git has not put in its place yet. */
  private static final String UNFINISHED = ".lock";

  private Repositories() {}

  /**
   * The directory {@code .git} of the nearest repository around a path; null if there is none, or
   * it is no directory.
   *
   * @param path leads to a node of the state
   */
  static @Nullable NodeId around(byte[] path, FsState state) {
    List<byte[]> names = CheckedPath.names(path);
    Node at = state.node(FsState.ROOT);
    Node nearest = null;
    for (int i = 0; at != null && at.type() == NodeType.DIRECTORY && i < names.size(); i++) {
      Node here = state.lookup(at, DIRECTORY_NAME);
      nearest = here == null ? nearest : here;
      at = state.lookup(at, Name.of(names.get(i)));
    }
    return nearest == null || nearest.type() != NodeType.DIRECTORY ? null : nearest.id();
  }

  /**
   * The directory {@code .git} of the repository in which an op records work; null if it does not.
   */
  static @Nullable NodeId recording(FsOp op, CallPaths paths, FsState after) {
    try {
      return switch (op) {
        case FsOp.Write write -> recording(paths.first(), after.node(write.node()), after);
        case FsOp.Rename rename ->
            recording(
                paths.second(), Touches.at(after, rename.newParent(), rename.newName()), after);
        default -> null;
      };
    } catch (PageUnreadableException e) { // of a directory on the way, which the call does not need
      return null;
    }
  }

  private static @Nullable NodeId recording(byte[] path, @Nullable Node changed, FsState after) {
    int begin = begin(path);
    if (begin < 0 || changed == null) {
      return null;
    }
    List<byte[]> names = CheckedPath.names(path);
    int git = 0;
    while (git < names.size() && !Arrays.equals(names.get(git), DIRECTORY)) {
      git++;
    }
    if (git + 1 >= names.size()
        || !BRANCHES.contains(text(names.get(git + 1)))
        || text(names.getLast()).endsWith(UNFINISHED)
        || CheckedPath.verified(path, changed.id(), after).length == 0) {
      return null;
    }
    return CheckedPath.walk(names.subList(0, git + 1), after);
  }

  /** Where {@code .git/} is in a path; -1 if it is not there. Most paths have none. */
  private static int begin(byte[] path) {
    for (int i = 0; i + DIRECTORY.length < path.length; i++) {
      if (path[i] == DIRECTORY[0]
          && (i == 0 || path[i - 1] == '/')
          && path[i + DIRECTORY.length] == '/'
          && Arrays.equals(path, i, i + DIRECTORY.length, DIRECTORY, 0, DIRECTORY.length)) {
        return i;
      }
    }
    return -1;
  }

  private static String text(byte[] name) {
    return new String(name, StandardCharsets.UTF_8);
  }
}

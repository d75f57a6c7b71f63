package io.hypersync.leader.scrub;

import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.NodeType;
import io.hypersync.model.state.DirEntry;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import io.hypersync.model.state.NodeContent;
import io.hypersync.model.state.StateChunks;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds which files of a state need chunks that are lost. Looks at all nodes, and at the names of
 * all directories: seconds for a million files, so not on the agent's thread.
 */
public final class LostFiles {
  /** How many are named at most. */
  static final int MOST = 100;

  /** Of a longer path only the end is kept. */
  private static final int MAX_PATH_CHARS = 4_096;

  private static final int STEP_EVERY = 4_096;

  private final FsState state;
  private final Runnable step;
  private long looked;

  /**
   * A file, or anything else, whose bytes or attributes cannot be read.
   *
   * @param path from the root, printable; null if it has no name any more
   * @param inode its {@code st_ino}
   */
  public record LostFile(@Nullable String path, long inode) {}

  /** A directory whose names are being looked at, and the name that leads to it. */
  private record Frame(@Nullable Name name, Iterator<DirEntry> entries) {}

  private LostFiles(FsState state, Runnable step) {
    this.state = state;
    this.step = step;
  }

  /**
   * The first hundred of them.
   *
   * @param step called now and then; may throw to end the search
   */
  public static List<LostFile> of(FsState state, Set<Hash> lost, Runnable step) {
    if (lost.isEmpty()) {
      return List.of();
    }
    return new LostFiles(state, step).find(lost);
  }

  private List<LostFile> find(Set<Hash> lost) {
    Map<NodeId, Long> inodes = new LinkedHashMap<>();
    for (Node node : state.nodes()) {
      look();
      StateChunks.forEach(
          node,
          chunk -> {
            if (lost.contains(chunk)) {
              inodes.put(node.id(), node.inode().value());
            }
          });
      if (inodes.size() >= MOST) {
        break;
      }
    }
    Map<NodeId, String> paths = paths(inodes.keySet());
    List<LostFile> found = new ArrayList<>();
    inodes.forEach((node, inode) -> found.add(new LostFile(paths.get(node), inode)));
    return found;
  }

  /** Holds the directories of one path only, whatever the tree looks like. */
  private Map<NodeId, String> paths(Set<NodeId> wanted) {
    Map<NodeId, String> found = new LinkedHashMap<>();
    Deque<Frame> path = new ArrayDeque<>();
    if (wanted.contains(FsState.ROOT)) {
      found.put(FsState.ROOT, "/");
    }
    enter(null, FsState.ROOT, path);
    while (!path.isEmpty() && found.size() < wanted.size()) {
      Iterator<DirEntry> entries = path.getLast().entries;
      if (!entries.hasNext()) {
        path.removeLast();
        continue;
      }
      DirEntry entry = entries.next();
      look();
      if (wanted.contains(entry.node())) {
        found.putIfAbsent(entry.node(), printable(path, entry.name()));
      }
      if (entry.type() == NodeType.DIRECTORY) {
        enter(entry.name(), entry.node(), path);
      }
    }
    return found;
  }

  private void enter(@Nullable Name name, NodeId directory, Deque<Frame> path) {
    Node node = state.node(directory);
    if (node != null && node.content() instanceof NodeContent.Directory content) {
      path.addLast(new Frame(name, content.entries().iterator()));
    }
  }

  private static String printable(Deque<Frame> path, Name last) {
    StringBuilder text = new StringBuilder();
    for (Frame frame : path) {
      if (frame.name != null) {
        text.append('/').append(frame.name);
      }
    }
    text.append('/').append(last);
    int over = text.length() - MAX_PATH_CHARS;
    return over <= 0 ? text.toString() : "..." + text.substring(over);
  }

  private void look() {
    looked++;
    if (looked % STEP_EVERY == 0) {
      step.run();
    }
  }
}

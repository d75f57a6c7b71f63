package io.hypersync.worker.daemon.local;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.text.Printable;
import io.hypersync.worker.fuse.dev.HostCallFailed;
import io.hypersync.worker.fuse.dev.HostFiles;
import io.hypersync.worker.fuse.dev.HostStat;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The folder with the names that are local to this host:
 *
 * <pre>
 * &lt;local_dir&gt;/ignored/&lt;workspace id&gt;/
 *   &lt;node id of a replicated directory&gt;/
 *     names/   its local names, and all below them
 *     path     where that directory was when it got its first local name
 * </pre>
 *
 * The folder {@code ignored} is the daemon's alone: users can neither go around the mount, nor put
 * something there that the daemon would follow. Nothing in it is ever removed but by calls on the
 * mount. Thread-safe.
 */
final class LocalStore implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LocalStore.class);
  private static final byte[] IGNORED = ascii("ignored");
  private static final byte[] NAMES = ascii("names");
  private static final byte[] PATH = ascii("path");
  private static final int PRIVATE = 0700;
  private static final int OTHERS = 077;
  private static final int NODE_ID_DIGITS = 2 * NodeId.BYTES;
  private static final int MAX_PATH_BYTES = 4_096;

  /** Directories that are listed at most. */
  private static final int MAX_LISTED = 10_000;

  private final Path folder;
  private final int root;
  private final long device;

  private LocalStore(Path folder, int root, long device) {
    this.folder = folder;
    this.root = root;
    this.device = device;
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** Where a workspace's local names are kept. */
  static Path folder(Path localDir, WorkspaceId workspace) {
    return localDir.resolve("ignored").resolve(workspace.toString());
  }

  /** Opens the folder, and makes it if there is none. */
  static LocalStore open(Path localDir, WorkspaceId workspace) throws UnusableStore {
    LocalStore made = open(localDir, workspace, true);
    if (made == null) {
      throw new UnusableStore(folder(localDir, workspace) + " is gone");
    }
    return made;
  }

  /** Opens the folder; null if there is none. */
  static @Nullable LocalStore openIfThere(Path localDir, WorkspaceId workspace)
      throws UnusableStore {
    return open(localDir, workspace, false);
  }

  private static @Nullable LocalStore open(Path localDir, WorkspaceId workspace, boolean make)
      throws UnusableStore {
    Path folder = folder(localDir, workspace);
    try {
      int local = HostFiles.openDirectory(localDir);
      try {
        int ignored = own(local, IGNORED, folder.getParent(), make);
        try {
          int root = own(ignored, ascii(workspace.toString()), folder, make);
          return new LocalStore(folder, root, HostFiles.stat(root).device());
        } finally {
          HostFiles.close(ignored);
        }
      } finally {
        HostFiles.close(local);
      }
    } catch (HostCallFailed e) {
      if (e.errno() == Errno.ENOENT && !make) {
        return null;
      }
      throw new UnusableStore(folder + ": " + e.errno().message());
    }
  }

  /** Opens a directory that nobody else can write to or go through. */
  private static int own(int parent, byte[] name, @Nullable Path path, boolean make)
      throws HostCallFailed, UnusableStore {
    if (make) {
      makeIfMissing(parent, name);
    }
    int fd;
    try {
      fd = directory(parent, name);
    } catch (HostCallFailed e) {
      if (e.errno() == Errno.ENOTDIR || e.errno() == Errno.ELOOP) {
        throw new UnusableStore(path + " is no directory; move it away");
      }
      throw e;
    }
    HostStat stat = HostFiles.stat(fd);
    if (stat.uid() != HostFiles.effectiveUid() || (stat.mode() & OTHERS) != 0) {
      HostFiles.close(fd);
      throw new UnusableStore(
          path
              + " must belong to the worker's user, and have mode 0700: somebody else could put links"
              + " into it. Move it away");
    }
    return fd;
  }

  private static void makeIfMissing(int parent, byte[] name) throws HostCallFailed {
    try {
      HostFiles.makeDirectory(parent, name, PRIVATE);
    } catch (HostCallFailed e) {
      if (e.errno() != Errno.EEXIST) {
        throw e;
      }
    }
  }

  private static int directory(int parent, byte[] name) throws HostCallFailed {
    return HostFiles.open(parent, name, HostFiles.O_PATH | HostFiles.O_DIRECTORY, 0);
  }

  /** The folder's path, for messages. */
  Path folder() {
    return folder;
  }

  /** The descriptor of the folder. */
  int root() {
    return root;
  }

  /** The filesystem of the folder: whatever is on another one is none of the local files. */
  long device() {
    return device;
  }

  /** Where the names of a directory are, as a path from the folder on. */
  static byte[] names(NodeId directory) {
    return ascii(directory + "/names");
  }

  /**
   * Opens the folder with the local names of a replicated directory, as a reference.
   *
   * @throws HostCallFailed ENOENT if it has none
   */
  int open(NodeId directory) throws HostCallFailed {
    return HostFiles.openBelow(root, names(directory));
  }

  /** Whether a replicated directory has, or had, local names. */
  boolean holds(NodeId directory) throws HostCallFailed {
    try {
      HostFiles.close(open(directory));
      return true;
    } catch (HostCallFailed e) {
      if (e.errno() == Errno.ENOENT) {
        return false;
      }
      throw e;
    }
  }

  /**
   * Makes room for local names of a replicated directory.
   *
   * @param path where it is now, for whoever finds the folder later
   */
  void make(NodeId directory, String path) throws HostCallFailed {
    if (holds(directory)) {
      return;
    }
    byte[] id = ascii(directory.toString());
    makeIfMissing(root, id);
    int holder = directory(root, id);
    try {
      notePath(holder, path);
      makeIfMissing(holder, NAMES);
    } finally {
      HostFiles.close(holder);
    }
  }

  private static void notePath(int holder, String path) throws HostCallFailed {
    try {
      int fd = HostFiles.open(holder, PATH, HostFiles.O_CREAT_EXCL | HostFiles.O_WRONLY, 0600);
      try {
        var _ = HostFiles.write(fd, 0, (path + "\n").getBytes(StandardCharsets.ISO_8859_1));
      } finally {
        HostFiles.close(fd);
      }
    } catch (HostCallFailed e) {
      if (e.errno() != Errno.EEXIST) {
        throw e;
      }
    }
  }

  /** The path that was noted for a directory, printable; empty if there is none. */
  String notedPath(NodeId directory) {
    try {
      int holder = directory(root, ascii(directory.toString()));
      try {
        int fd = HostFiles.open(holder, PATH, HostFiles.O_RDONLY, 0);
        try {
          byte[] text = HostFiles.read(fd, 0, MAX_PATH_BYTES);
          return Printable.line(
              new String(text, StandardCharsets.ISO_8859_1)
                  .strip()
                  .getBytes(StandardCharsets.ISO_8859_1));
        } finally {
          HostFiles.close(fd);
        }
      } finally {
        HostFiles.close(holder);
      }
    } catch (HostCallFailed e) {
      return "";
    }
  }

  /** The replicated directories that have, or had, local names: the first 10,000 of them. */
  List<NodeId> directories() throws HostCallFailed {
    List<NodeId> found = new ArrayList<>();
    for (HostFiles.Row row : rows(HostFiles.reopen(root, HostFiles.O_RDONLY), MAX_LISTED)) {
      String name = new String(row.name(), StandardCharsets.ISO_8859_1);
      if (name.length() == NODE_ID_DIGITS) {
        try {
          found.add(NodeId.parse(name));
        } catch (IllegalArgumentException e) {
          LOG.debug("not made by a worker: {}", Printable.line(row.name()), e);
        }
      }
    }
    return found;
  }

  /**
   * The local names of a replicated directory, without those of the dots.
   *
   * @param most how many at most
   */
  List<HostFiles.Row> rows(NodeId directory, int most) throws HostCallFailed {
    int names;
    try {
      names = open(directory);
    } catch (HostCallFailed e) {
      if (e.errno() == Errno.ENOENT) {
        return List.of();
      }
      throw e;
    }
    try {
      return rows(HostFiles.reopen(names, HostFiles.O_RDONLY | HostFiles.O_DIRECTORY), most);
    } finally {
      HostFiles.close(names);
    }
  }

  /** Reads an open directory, and closes it. */
  private static List<HostFiles.Row> rows(int fd, int most) throws HostCallFailed {
    try {
      List<HostFiles.Row> rows = new ArrayList<>();
      List<HostFiles.Row> some = HostFiles.list(fd, 0);
      while (!some.isEmpty() && rows.size() < most) {
        some.stream().filter(row -> !isDot(row.name())).forEach(rows::add);
        some = HostFiles.list(fd, some.getLast().next());
      }
      return rows;
    } finally {
      HostFiles.close(fd);
    }
  }

  /** Whether it is the name of the directory itself, or of the one above it. */
  static boolean isDot(byte[] name) {
    return name[0] == '.' && (name.length == 1 || (name.length == 2 && name[1] == '.'));
  }

  @Override
  public void close() {
    HostFiles.close(root);
  }
}

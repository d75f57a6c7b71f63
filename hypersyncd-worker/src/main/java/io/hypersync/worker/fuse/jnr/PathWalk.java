package io.hypersync.worker.fuse.jnr;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.InodeNo;
import io.hypersync.worker.fuse.abi.FuseOpcode;
import io.hypersync.worker.fuse.protocol.FuseAttr;
import io.hypersync.worker.fuse.protocol.FuseEntry;
import io.hypersync.worker.fuse.protocol.FuseOperation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds the nodes of one call's paths, by looking up name after name. What was looked up is held
 * until the walk is closed, as the kernel holds it between a lookup and a forget. Used by one
 * thread.
 */
final class PathWalk implements AutoCloseable {
  private static final byte SLASH = '/';

  private final RequestLine requests;
  private final Caller caller;
  private final List<InodeNo> held = new ArrayList<>();

  PathWalk(RequestLine requests, Caller caller) {
    this.requests = requests;
    this.caller = caller;
  }

  /**
   * A node that a path leads to.
   *
   * @param attr its attributes at the time of the lookup; null for the root, which is not looked up
   */
  record Found(InodeNo node, @Nullable FuseAttr attr) {
    static final Found ROOT = new Found(InodeNo.ROOT, null);
  }

  /**
   * A name, and the directory that it is in.
   *
   * @param name without a slash
   */
  record Place(InodeNo directory, byte[] name) {}

  /**
   * The node of a path.
   *
   * @param path absolute within the mount; as libfuse makes it, without {@code .} and {@code ..}
   * @throws CallFailed ENOENT, ENOTDIR, ENAMETOOLONG
   */
  Found node(byte[] path) throws CallFailed {
    return walk(names(path));
  }

  /**
   * The directory and the name that a path ends with. The name need not exist.
   *
   * @throws CallFailed as {@link #node}; EBUSY for the root, which is in no directory
   */
  Place place(byte[] path) throws CallFailed {
    List<byte[]> names = names(path);
    if (names.isEmpty()) {
      throw new CallFailed(Errno.EBUSY);
    }
    return new Place(walk(names.subList(0, names.size() - 1)).node(), names.getLast());
  }

  /** Holds a node that an answer has named, like one that was looked up. */
  void hold(FuseEntry entry) {
    held.add(entry.nodeId());
  }

  /** Takes a node out of those that this walk lets go; somebody else does that from now on. */
  void keep(InodeNo node) {
    held.remove(node);
  }

  @Override
  public void close() {
    held.forEach(node -> forget(requests, caller, node));
    held.clear();
  }

  /** Lets go of a node once. */
  static void forget(RequestLine requests, Caller caller, InodeNo node) {
    try {
      var _ = requests.ask(caller, node, FuseOpcode.FORGET, new FuseOperation.Forget(1));
    } catch (CallFailed ending) {
      // The mount ends, and all that is held with it.
    }
  }

  private Found walk(List<byte[]> names) throws CallFailed {
    Found at = Found.ROOT;
    for (byte[] name : names) {
      Answer answer =
          requests.ask(caller, at.node(), FuseOpcode.LOOKUP, new FuseOperation.Lookup(name));
      if (!(answer instanceof Answer.Entry(FuseEntry entry))) {
        throw new CallFailed(Errno.EIO);
      }
      hold(entry);
      at = new Found(entry.nodeId(), entry.attr());
    }
    return at;
  }

  /** The names of a path, in order; none for the root. */
  static List<byte[]> names(byte[] path) {
    List<byte[]> names = new ArrayList<>();
    int from = 0;
    for (int i = 0; i <= path.length; i++) {
      if (i == path.length || path[i] == SLASH) {
        if (i > from) {
          names.add(Arrays.copyOfRange(path, from, i));
        }
        from = i + 1;
      }
    }
    return names;
  }
}

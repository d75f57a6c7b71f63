package io.hypersync.worker.vfs;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.InodeNo;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.NodeType;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.worker.coherence.CachedName;
import io.hypersync.worker.coherence.View;
import io.hypersync.worker.fuse.protocol.FileHandle;
import io.hypersync.worker.fuse.protocol.FuseAttr;
import io.hypersync.worker.fuse.protocol.FuseEntry;
import io.hypersync.worker.inotify.NameInDirectory;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Resolves the kernel's inode numbers and name bytes to nodes of S_v, and builds entries and
 * attributes together with how long the kernel may cache them. Thread-safe.
 *
 * <p>Every answer that may be cached is noted in {@link KernelInodes} first, and the view is read
 * (again) only after that: see {@code KernelCaches}.
 */
final class Nodes {
  private final Supplier<View> current;
  private final KernelInodes inodes;
  private final OpenHandles handles;
  private final AtimeOverrides times;
  private final CachePolicy policy;
  private final Clock clock;

  Nodes(
      Supplier<View> current,
      KernelInodes inodes,
      OpenHandles handles,
      AtimeOverrides times,
      CachePolicy policy,
      Clock clock) {
    this.current = current;
    this.inodes = inodes;
    this.handles = handles;
    this.times = times;
    this.policy = policy;
    this.clock = clock;
  }

  View view() {
    return current.get();
  }

  FsState state() {
    return current.get().state();
  }

  /** The node id of an inode number; ESTALE if the kernel does not hold that inode. */
  NodeId id(InodeNo inode) throws RequestFailed {
    NodeId id = inodes.node(inode);
    if (id == null) {
      throw new RequestFailed(Errno.ESTALE);
    }
    return id;
  }

  /**
   * The node that a call through an open handle is for: that of the handle, whatever the kernel
   * holds. ESTALE if there is no such handle, and the kernel does not hold the inode either.
   */
  NodeId id(InodeNo inode, FileHandle handle) throws RequestFailed {
    OpenHandles.OpenHandle open = handles.get(handle);
    return open == null ? id(inode) : open.node();
  }

  /** The node in S_v: ESTALE if it has been reaped. */
  Node node(FsState state, InodeNo inode) throws RequestFailed {
    return node(state, id(inode));
  }

  /** The node of {@link #id(InodeNo, FileHandle)} in S_v: ESTALE if it has been reaped. */
  Node node(FsState state, InodeNo inode, FileHandle handle) throws RequestFailed {
    return node(state, id(inode, handle));
  }

  private static Node node(FsState state, NodeId id) throws RequestFailed {
    Node node = state.node(id);
    if (node == null) {
      throw new RequestFailed(Errno.ESTALE);
    }
    return node;
  }

  /**
   * Parses a name from the kernel: ENAMETOOLONG over 255 bytes, EINVAL if it is not a valid name.
   */
  static Name name(byte[] bytes) throws RequestFailed {
    if (bytes.length > Name.MAX_BYTES) {
      throw new RequestFailed(Errno.ENAMETOOLONG);
    }
    if (!Name.isWellFormed(bytes)) {
      throw new RequestFailed(Errno.EINVAL);
    }
    return Name.of(bytes);
  }

  /**
   * Notes that the kernel may cache pages of this inode; the view must be taken after this call.
   */
  void reading(InodeNo inode) {
    inodes.notePages(inode);
  }

  CachePolicy policy() {
    return policy;
  }

  /**
   * Notes that the kernel may cache attributes of this inode; the view must be taken after this
   * call.
   *
   * @return how long they may be cached, in nanoseconds, unless that view forbids it
   */
  long keepAttributes(InodeNo inode) {
    if (!policy.attributes()) {
      return 0;
    }
    inodes.noteAttributes(inode);
    return policy.keepNs();
  }

  /** The entry for a name that leads to this node in this view; raises the node's lookup count. */
  FuseEntry found(View view, InodeNo directory, Name name, Node node) {
    inodes.lookedUp(node);
    InodeNo inode = node.inode();
    inodes.named(inode, new NameInDirectory(directory, name));
    long attributesNs = keepAttributes(inode);
    long nameNs = noteName(directory, name, node.type() == NodeType.DIRECTORY);
    View now = current.get();
    boolean same = now == view;
    // Growth of a file is pushed only to a kernel that holds its inode. This one may have begun to
    // hold it only now, so it gets the newest size.
    Node newest = same ? node : now.state().node(node.id());
    Node shown = newest == null ? node : newest;
    return Attributes.entry(
        shown,
        times.of(shown),
        same && view.keepsName(directory, name) ? nameNs : 0,
        same && view.keepsAttributes(inode) ? attributesNs : 0);
  }

  /**
   * How long the kernel may cache that a name does not exist in this view, in nanoseconds; 0 for
   * not at all.
   */
  long absentNs(View view, Node directory, Name name) {
    InodeNo inode = directory.inode();
    if (directory.isOrphan()) {
      // The kernel keeps a dentry of the missing name, which pins the removed directory. It is
      // noted so that it can be taken out when the directory is pruned.
      inodes.noteName(new CachedName(directory.id(), inode, name));
      return 0;
    }
    long nameNs = noteName(inode, name, false);
    return current.get() == view && view.keepsName(inode, name) ? nameNs : 0;
  }

  /**
   * The entry in the answer to the call that created the name. Nothing of it may be cached: the
   * kernel takes it over when the caller runs again, even if it has received an invalidation
   * meanwhile.
   */
  FuseEntry made(Node node) {
    inodes.lookedUp(node);
    return Attributes.entry(node, times.of(node), 0, 0);
  }

  /**
   * How a handle uses the kernel's cached listing of its directory.
   *
   * @param copy null if the handle does not use it
   */
  record Listing(CachedListing.Use use, @Nullable CachedListing copy) {}

  /**
   * Decides how a new handle uses the cached listing; it reads the directory from views taken after
   * this call.
   */
  Listing openListing(InodeNo directory) {
    long nowNs = clock.monotonicNs();
    CachedListing copy = policy.listings() ? inodes.listing(directory, nowNs) : null;
    CachedListing.Use use = copy == null ? CachedListing.Use.NONE : copy.opened(nowNs);
    if (copy == null || use == CachedListing.Use.NONE) {
      return new Listing(CachedListing.Use.NONE, null);
    }
    if (!current.get().keepsAttributes(directory) && copy.invalidate()) {
      use = CachedListing.Use.REFILL;
    }
    return new Listing(use, copy);
  }

  /** The attributes that stat shows. */
  FuseAttr attr(Node node) {
    return Attributes.of(node, times.of(node));
  }

  /** A process of this host is about to change names in this directory. */
  void changing(InodeNo directory) {
    if (policy.names()) {
      inodes.changing(directory, clock.monotonicNs() + CachePolicy.QUIET_NS);
    }
  }

  private long noteName(InodeNo directory, Name name, boolean ofDirectory) {
    if (policy.isOfThePast()) {
      return policy.keepNs();
    }
    boolean kept =
        policy.names() && inodes.noteName(directory, name, ofDirectory, clock.monotonicNs());
    return kept ? policy.keepNs() : 0;
  }
}

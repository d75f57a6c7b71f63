package io.hypersync.worker.vfs;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.NodeType;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import io.hypersync.wire.agent.Clock;
import io.hypersync.worker.coherence.CachedName;
import io.hypersync.worker.coherence.View;
import io.hypersync.worker.fuse.protocol.FuseAttr;
import io.hypersync.worker.fuse.protocol.FuseEntry;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * From the kernel's numbers and bytes to nodes of S_v, and back; says how long the kernel may keep
 * what it is told. Threads: any.
 *
 * <p>Every answer that may be kept is noted in {@link KernelInodes} first, and only then the view
 * is looked at (again): see {@code KernelCaches}.
 */
final class Nodes {
  private final Supplier<View> current;
  private final KernelInodes inodes;
  private final AccessTimes times;
  private final CachePolicy policy;
  private final Clock clock;

  Nodes(
      Supplier<View> current,
      KernelInodes inodes,
      AccessTimes times,
      CachePolicy policy,
      Clock clock) {
    this.current = current;
    this.inodes = inodes;
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

  /** The node id for a kernel number: ESTALE for one it cannot have from us. */
  NodeId id(long inode) throws RequestFailed {
    NodeId id = inodes.node(inode);
    if (id == null) {
      throw new RequestFailed(Errno.ESTALE);
    }
    return id;
  }

  /** The node in S_v: ESTALE if it has been reaped. */
  Node node(FsState state, long inode) throws RequestFailed {
    Node node = state.node(id(inode));
    if (node == null) {
      throw new RequestFailed(Errno.ESTALE);
    }
    return node;
  }

  /** A name from the kernel: ENAMETOOLONG over 255 bytes, EINVAL for what names nothing. */
  static Name name(byte[] bytes) throws RequestFailed {
    if (bytes.length > Name.MAX_BYTES) {
      throw new RequestFailed(Errno.ENAMETOOLONG);
    }
    if (!Name.isWellFormed(bytes)) {
      throw new RequestFailed(Errno.EINVAL);
    }
    return Name.of(bytes);
  }

  /** Data is about to be read from a view that is taken after this call. */
  void reading(long inode) {
    inodes.notePages(inode);
  }

  /** What the kernel may keep. */
  CachePolicy policy() {
    return policy;
  }

  /**
   * The attributes that follow come from a view which is taken after this call.
   *
   * @return how long they may be kept if that view does not say otherwise
   */
  long keepAttributes(long inode) {
    if (!policy.attributes()) {
      return 0;
    }
    inodes.noteAttributes(inode);
    return CachePolicy.KEEP_NS;
  }

  /** Where a name leads in this view; from now on the kernel knows the node. */
  FuseEntry found(View view, long directory, Name name, Node node) {
    inodes.lookedUp(node);
    long inode = node.inode().value();
    long attributesNs = keepAttributes(inode);
    long nameNs = noteName(directory, name, node.type() == NodeType.DIRECTORY);
    View now = current.get();
    boolean same = now == view;
    // Nobody has told the kernel how a file has grown before it was known here.
    Node newest = same ? node : now.state().node(node.id());
    Node shown = newest == null ? node : newest;
    return Attributes.entry(
        shown,
        times.of(shown),
        same && view.keepsName(directory, name) ? nameNs : 0,
        same && view.keepsAttributes(inode) ? attributesNs : 0);
  }

  /** How long it may be kept that a name leads to nothing in this view; 0 for not at all. */
  long absentNs(View view, Node directory, Name name) {
    long inode = directory.inode().value();
    if (directory.isOrphan()) {
      // The kernel remembers what it has looked for here, and by that the directory itself.
      inodes.noteName(new CachedName(directory.id(), inode, name));
      return 0;
    }
    long nameNs = noteName(inode, name, false);
    return current.get() == view && view.keepsName(inode, name) ? nameNs : 0;
  }

  /**
   * The answer to the call that has made the name. Nothing of it may be kept: the kernel takes it
   * up when the caller runs again, whatever it has been told meanwhile.
   */
  FuseEntry made(Node node) {
    inodes.lookedUp(node);
    return Attributes.entry(node, times.of(node), 0, 0);
  }

  /**
   * The kernel's copy of a directory's listing.
   *
   * @param copy null if the handle does not use it
   */
  record Listing(KeptListing.Use use, @Nullable KeptListing copy) {}

  /** A handle is about to be opened that reads the directory from views taken after this call. */
  Listing openListing(long directory) {
    long nowNs = clock.monotonicNs();
    KeptListing copy = policy.listings() ? inodes.listing(directory, nowNs) : null;
    KeptListing.Use use = copy == null ? KeptListing.Use.NONE : copy.opened(nowNs);
    if (copy == null || use == KeptListing.Use.NONE) {
      return new Listing(KeptListing.Use.NONE, null);
    }
    if (!current.get().keepsAttributes(directory) && copy.distrust()) {
      use = KeptListing.Use.REFILL;
    }
    return new Listing(use, copy);
  }

  /** What stat shows. */
  FuseAttr attr(Node node) {
    return Attributes.of(node, times.of(node));
  }

  /** A process of this machine is about to change names in this directory. */
  void changing(long directory) {
    if (policy.names()) {
      inodes.changing(directory, clock.monotonicNs() + CachePolicy.QUIET_NS);
    }
  }

  private long noteName(long directory, Name name, boolean ofDirectory) {
    boolean kept =
        policy.names() && inodes.noteName(directory, name, ofDirectory, clock.monotonicNs());
    return kept ? CachePolicy.KEEP_NS : 0;
  }
}

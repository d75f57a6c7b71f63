package io.hypersync.worker.vfs;

import io.hypersync.model.id.InodeNo;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import io.hypersync.worker.coherence.CachedName;
import io.hypersync.worker.coherence.KernelCaches;
import io.hypersync.worker.inotify.Place;
import io.hypersync.worker.lease.KernelInterest;
import io.hypersync.worker.lease.OpenNodes;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The inodes that the kernel knows, by the number it calls them, with their lookup counts, what it
 * may keep of them, and which nodes it has open. An InodeNo is never reused, so an answer from here
 * is never about another node.
 *
 * <p>Threads: any. A count is raised before the reply which carries the entry is written, so a
 * FORGET for it cannot come earlier.
 */
public final class KernelInodes implements KernelCaches, KernelInterest {
  private final InodeTable inodes = new InodeTable();
  private final OpenNodes opened = new OpenNodes();
  private volatile Set<Place> shadowed = Set.of();

  /** The kernel knows the root from the start and never forgets it. */
  public KernelInodes() {
    inodes.lookedUp(InodeNo.ROOT.value(), FsState.ROOT);
  }

  /** The node that the kernel means, or null if it has never heard of it. */
  public @Nullable NodeId node(long inode) {
    KernelInode known = inodes.get(inode);
    return known == null ? null : known.node();
  }

  /** An entry for the node is about to be sent. */
  void lookedUp(Node node) {
    inodes.lookedUp(node.inode().value(), node.id());
  }

  /** The kernel takes lookups back; one it never made changes nothing. */
  public void forget(long inode, long lookups) {
    if (inode != InodeNo.ROOT.value()) {
      inodes.forget(inode, lookups);
    }
  }

  /** How many inodes the kernel knows. */
  public int size() {
    return inodes.size();
  }

  /** The kernel may keep the attributes that it is about to be told; see {@link KernelCaches}. */
  void noteAttributes(long inode) {
    KernelInode known = inodes.get(inode);
    if (known != null) {
      known.noteAttributes();
    }
  }

  /**
   * Data of this inode is about to be read from a view that is taken after this call; see {@link
   * KernelCaches}.
   */
  void notePages(long inode) {
    KernelInode known = inodes.get(inode);
    if (known != null) {
      known.notePages();
    }
  }

  /**
   * The kernel may keep this name, unless the directory is being changed from here and the name is
   * not a directory's, which a change of other names there leaves alone; see {@link KernelCaches}.
   *
   * @return whether it may be told so
   */
  boolean noteName(long directory, Name name, boolean ofDirectory, long nowNs) {
    KernelInode known = inodes.get(directory);
    return known != null
        && (ofDirectory || isQuiet(known, nowNs))
        && known.directory().noteName(name)
        && !isShadowed(directory, name);
  }

  /**
   * Names of which nothing may be kept until this is called with others: shadow calls are made on
   * them, and need the kernel to ask. Whoever looks for notes with {@link #mayHave} afterwards
   * finds those of all that the kernel was told to keep.
   */
  public void shadow(Set<Place> names) {
    shadowed = names;
  }

  /** Whether the kernel may have this name cached; nothing changes. */
  public boolean mayHave(Place place) {
    KernelDirectory known = directory(place.directory());
    return known != null && known.hasName(place.name());
  }

  private @Nullable KernelDirectory directory(long inode) {
    KernelInode known = inodes.get(inode);
    return known == null ? null : known.knownDirectory();
  }

  private static boolean isQuiet(KernelInode inode, long nowNs) {
    KernelDirectory known = inode.knownDirectory();
    return known == null || known.isQuiet(nowNs);
  }

  private boolean isShadowed(long directory, Name name) {
    Set<Place> now = shadowed;
    return !now.isEmpty() && now.contains(new Place(directory, name));
  }

  /** The names of a directory that were noted; they count as dropped from now on. */
  public List<Name> takeNames(long directory) {
    KernelDirectory known = directory(directory);
    return known == null ? List.of() : known.takeNames();
  }

  /**
   * What the kernel may have of a directory's listing, or null if nothing may be kept of it now;
   * see {@link KernelCaches}.
   */
  @Nullable KeptListing listing(long directory, long nowNs) {
    KernelInode known = inodes.get(directory);
    return known != null && isQuiet(known, nowNs) ? known.directory().listing() : null;
  }

  /** A process of this machine is about to change a name in this directory. */
  void changing(long directory, long untilNs) {
    KernelInode known = inodes.get(directory);
    if (known != null) {
      known.directory().changing(untilNs);
    }
  }

  /** The nodes with open handles; whoever opens and closes handles says so here. */
  OpenNodes opened() {
    return opened;
  }

  @Override
  public boolean isOpen(NodeId node) {
    return opened.isOpen(node);
  }

  @Override
  public void openNodes(Consumer<NodeId> receiver) {
    opened.forEach(receiver);
  }

  @Override
  public void drainChanged(Consumer<NodeId> receiver) {
    opened.drainChanged(receiver);
  }

  @Override
  public boolean isKnown(long inode) {
    return inodes.get(inode) != null;
  }

  @Override
  public boolean takeAttributes(long inode) {
    KernelInode known = inodes.get(inode);
    return known != null && known.takeAttributes();
  }

  @Override
  public boolean takeListing(long inode) {
    KernelDirectory known = directory(inode);
    return known != null && known.takeListing();
  }

  @Override
  public void listingDropped(long inode) {
    KernelDirectory known = directory(inode);
    if (known != null) {
      known.listingDropped();
    }
  }

  @Override
  public boolean takeName(CachedName name) {
    KernelDirectory known = directory(name.directory());
    return known != null && known.takeName(name.name());
  }

  @Override
  public boolean mayHavePages(long inode) {
    KernelInode known = inodes.get(inode);
    return known != null && known.mayHavePages();
  }

  @Override
  public boolean takePages(long inode) {
    KernelInode known = inodes.get(inode);
    return known != null && known.takePages();
  }

  @Override
  public void noteName(CachedName name) {
    KernelInode known = inodes.get(name.directory());
    if (known != null) {
      var _ = known.directory().noteName(name.name());
    }
  }
}

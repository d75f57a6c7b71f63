package io.hypersync.worker.vfs;

import io.hypersync.model.id.InodeNo;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.NodeType;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import io.hypersync.worker.coherence.CachedName;
import io.hypersync.worker.coherence.KernelCaches;
import io.hypersync.worker.incarnation.HandleTable;
import io.hypersync.worker.incarnation.MountMemory;
import io.hypersync.worker.inotify.NameInDirectory;
import io.hypersync.worker.lease.KernelReferences;
import io.hypersync.worker.lease.OpenNodes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The inodes that the kernel holds, by inode number: their lookup counts, what the kernel may have
 * cached of them, and which nodes have open handles. An InodeNo is never reused, so a number never
 * stands for another node.
 *
 * <p>Thread-safe. A lookup count is raised before the reply that carries the entry is written, so
 * its FORGET cannot arrive earlier.
 */
public final class KernelInodes implements KernelCaches, KernelReferences {
  private final InodeTable inodes;
  private final AbsentInodes absent = new AbsentInodes();
  private final OpenNodes opened = new OpenNodes();
  private final @Nullable MountMemory memory;

  /** The handles that an earlier process has left open, until the filesystem takes them over. */
  private final List<HandleTable.Row> left;

  private volatile Set<NameInDirectory> shadowed = Set.of();

  /**
   * Creates a table with the root only: the kernel holds it from the mount on and never forgets it.
   */
  public KernelInodes() {
    this(null, false);
  }

  /**
   * A table that is kept in memory that outlives this process.
   *
   * @param memory of the mount; null to keep nothing
   * @param isSuccessor whether an earlier process has served the mount, and has ended: what it has
   *     left open is open from the beginning, and what the kernel has looked up is known
   */
  public KernelInodes(@Nullable MountMemory memory, boolean isSuccessor) {
    this.memory = memory;
    this.inodes = new InodeTable(memory == null ? null : memory.inodes());
    this.left = memory != null && isSuccessor ? memory.handles().inherit() : List.of();
    left.forEach(row -> opened.opened(row.node()));
    if (memory != null && isSuccessor) {
      memory.inodes().inherit(inodes::inherit);
    }
    if (inodes.get(InodeNo.ROOT) == null) {
      inodes.lookedUp(InodeNo.ROOT, FsState.ROOT, true);
    }
  }

  /**
   * Notes that the kernel may have anything cached of the nodes that it has held since an earlier
   * process served the mount. To be called before the first request.
   *
   * @return their inodes; the kernel may not have some of them (see {@link #absent})
   */
  public List<InodeNo> inherit() {
    MountMemory kept = memory;
    if (kept == null) {
      return List.of();
    }
    List<InodeNo> found = new ArrayList<>(inodes.size());
    inodes.forEach(
        (number, known) -> {
          found.add(number);
          known.noteAttributes();
          known.notePages();
          if (kept.inodes().isDirectory(known.row())) {
            known.directory().listing().inherited();
          }
        });
    return found;
  }

  /** Those inodes of this table that the kernel does not have, as far as that is known. */
  public AbsentInodes absent() {
    return absent;
  }

  /** Whether the lookup count of an inode may be too high, because another process has begun it. */
  public boolean isInherited(InodeNo inode) {
    KernelInode known = inodes.get(inode);
    return known != null && known.isInherited();
  }

  /** The table of open handles that outlives this process; null if there is none. */
  @Nullable HandleTable handleTable() {
    return memory == null ? null : memory.handles();
  }

  /** The handles that an earlier process has left open. */
  List<HandleTable.Row> left() {
    return left;
  }

  /**
   * The listing of a directory that a handle of an earlier process uses; to be called after {@link
   * #inherit}.
   */
  @Nullable CachedListing inheritedListing(InodeNo directory) {
    KernelInode known = inodes.get(directory);
    if (known == null) {
      return null;
    }
    CachedListing listing = known.directory().listing();
    listing.inheritedInUse();
    return listing;
  }

  /** The node with this inode number, or null if the kernel does not hold it. */
  public @Nullable NodeId node(InodeNo inode) {
    KernelInode known = inodes.get(inode);
    return known == null ? null : known.node();
  }

  /** Raises the lookup count; called before a reply with an entry for the node is sent. */
  void lookedUp(Node node) {
    inodes.lookedUp(node.inode(), node.id(), node.type() == NodeType.DIRECTORY);
    absent.answered(node.inode());
  }

  /** Notes a name that leads to an inode now. It may lead elsewhere later, unnoticed. */
  void named(InodeNo inode, NameInDirectory place) {
    inodes.named(inode, place);
  }

  /** A name that has led to an inode; null if none is known. */
  public @Nullable NameInDirectory place(InodeNo inode) {
    return inodes.place(inode);
  }

  /** Lowers the lookup count (FORGET); surplus lookups and unknown inodes are ignored. */
  public void forget(InodeNo inode, long lookups) {
    if (!inode.equals(InodeNo.ROOT) && inodes.forget(inode, lookups)) {
      absent.answered(inode);
    }
  }

  /** The number of inodes that the kernel holds. */
  public int size() {
    return inodes.size();
  }

  /**
   * Notes that the kernel may cache the attributes of the reply that follows; see {@link
   * KernelCaches}.
   */
  void noteAttributes(InodeNo inode) {
    KernelInode known = inodes.get(inode);
    if (known != null) {
      known.noteAttributes();
    }
  }

  /**
   * Notes that the kernel may cache pages of this inode, read from a view that is taken after this
   * call; see {@link KernelCaches}.
   */
  void notePages(InodeNo inode) {
    KernelInode known = inodes.get(inode);
    if (known != null) {
      known.notePages();
    }
  }

  /**
   * Notes that the kernel may cache this name, unless a process of this host is changing names in
   * the directory. A directory's name is noted even then, since changes of other names leave it
   * alone. See {@link KernelCaches}.
   *
   * @return whether the reply may let the kernel cache the name
   */
  boolean noteName(InodeNo directory, Name name, boolean ofDirectory, long nowNs) {
    KernelInode known = inodes.get(directory);
    return known != null
        && (ofDirectory || isQuiet(known, nowNs))
        && known.directory().noteName(name)
        && !isShadowed(directory, name);
  }

  /**
   * Sets the names that must not be cached until the next call of this method: shadow calls are
   * made on them and need the kernel to send a LOOKUP. Every name that the kernel was allowed to
   * cache before is found by {@link #mayHave} after this call.
   */
  public void shadow(Set<NameInDirectory> names) {
    shadowed = names;
  }

  /** Whether the kernel may have this name cached; has no side effect. */
  public boolean mayHave(NameInDirectory place) {
    KernelDirectory known = directory(place.directory());
    return known != null && known.hasName(place.name());
  }

  private @Nullable KernelDirectory directory(InodeNo inode) {
    KernelInode known = inodes.get(inode);
    return known == null ? null : known.knownDirectory();
  }

  private static boolean isQuiet(KernelInode inode, long nowNs) {
    KernelDirectory known = inode.knownDirectory();
    return known == null || known.isQuiet(nowNs);
  }

  private boolean isShadowed(InodeNo directory, Name name) {
    Set<NameInDirectory> now = shadowed;
    return !now.isEmpty() && now.contains(new NameInDirectory(directory, name));
  }

  /** All names in a directory that may be cached; they count as dropped from now on. */
  public List<CachedName> takeNames(InodeNo directory) {
    KernelInode inode = inodes.get(directory);
    KernelDirectory known = inode == null ? null : inode.knownDirectory();
    if (inode == null || known == null) {
      return List.of();
    }
    return known.takeNames().stream()
        .map(name -> new CachedName(inode.node(), directory, name))
        .toList();
  }

  /**
   * The state of the kernel's cached listing of a directory, or null if it must not be cached now;
   * see {@link KernelCaches}.
   */
  @Nullable CachedListing listing(InodeNo directory, long nowNs) {
    KernelInode known = inodes.get(directory);
    return known != null && isQuiet(known, nowNs) ? known.directory().listing() : null;
  }

  /**
   * A process of this host is about to change a name in this directory, which counts as busy until
   * {@code untilNs} (monotonic).
   */
  void changing(InodeNo directory, long untilNs) {
    KernelInode known = inodes.get(directory);
    if (known != null) {
      known.directory().changing(untilNs);
    }
  }

  /** The counts of open handles by node; updated by whoever opens and closes handles. */
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
  public boolean isKnown(InodeNo inode) {
    return inodes.get(inode) != null;
  }

  @Override
  public void forEachKnown(BiConsumer<InodeNo, NodeId> inode) {
    inodes.forEach((number, known) -> inode.accept(number, known.node()));
  }

  @Override
  public boolean takeAttributes(InodeNo inode) {
    KernelInode known = inodes.get(inode);
    return known != null && known.takeAttributes();
  }

  @Override
  public boolean takeListing(InodeNo inode) {
    KernelDirectory known = directory(inode);
    return known != null && known.takeListing();
  }

  @Override
  public void listingDropped(InodeNo inode) {
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
  public boolean mayHavePages(InodeNo inode) {
    KernelInode known = inodes.get(inode);
    return known != null && known.mayHavePages();
  }

  @Override
  public boolean takePages(InodeNo inode) {
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

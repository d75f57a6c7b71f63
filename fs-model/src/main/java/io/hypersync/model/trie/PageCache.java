package io.hypersync.model.trie;

import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.hash.Hash;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Which parts of a replica's state are in memory. What begins at the node of a stored page can be
 * dropped, and is read again when it is needed: so a state can be larger than the memory that it
 * takes. What is newer than the newest snapshot is in no page, and stays.
 *
 * <p>Nodes with their children are in a queue. When these take too much, the first one loses its
 * children, unless somebody has asked for them since it was first the last time: then it goes to
 * the end (the clock algorithm). The queue keeps no node that no state has any more.
 *
 * <p><b>Pages stay stored</b> as long as any node in memory needs them. Those of the newest state
 * are in the newest snapshot ({@link PageWriter}). Older states may be in use for any time, by a
 * reader or a caller who waits. So {@link #needed} tells of the page of each node that is in
 * memory, and a collection keeps it, and what it leads to. It is asked after the store has begun
 * the collection. A node that comes into memory later was read from a page that is kept, and leads
 * to what that leads to; or it is written for a snapshot, and the store keeps what is written.
 *
 * <p>One for each replica: its states share nodes. Any thread may look at a state, and reads pages
 * itself. This class decides under its lock, and reads outside of it. Two threads may read the same
 * page at the same time.
 */
public final class PageCache {
  /** About how many bytes of heap the nodes take for each byte of their page. */
  private static final int HEAP_BYTES_PER_BYTE = 4;

  /**
   * How many pages are looked at when one comes into memory while there are too many. More than one
   * each time, so that the limit is reached again; few, so that nobody waits long.
   */
  private static final int TURNS = 8;

  /** What is left for what can be dropped, however much is dirty: one part in so many. */
  private static final int LEAST_ROOM_PART = 4;

  /** How many nodes that nobody can reach are forgotten at a time, so that nobody waits long. */
  private static final int FORGOTTEN = 64;

  private final PageSource source;
  private final IntFunction<LeafReader<? extends Leaf>> leaves;
  private final long maxBytes;
  private final boolean forgets;
  private final DirtyMemory dirty;

  /**
   * The stored pages of all nodes that are in memory and whose children may have to be read. In the
   * order in which they came, so that a simulation goes the same way again.
   */
  private final Set<StoredPage> known = new LinkedHashSet<>();

  /** Those of nodes with their children. */
  private final ArrayDeque<StoredPage> clock = new ArrayDeque<>();

  /** Those of nodes that are not in memory any more. */
  private final ReferenceQueue<Inner> gone = new ReferenceQueue<>();

  /** How many in the queue do not count any more. */
  private int stale;

  private volatile Consumer<PageUnreadableException> listener = _ -> {};
  private @Nullable RootVersion version;
  private long bytes;
  private long reads;
  private long drops;

  /**
   * An empty cache.
   *
   * @param source thread-safe; verifies the hash of what it returns
   * @param leaves reads the leaves of pages of a kind
   * @param maxBytes about how much heap the nodes may take that can be dropped, with what is dirty;
   *     {@code Long.MAX_VALUE} to keep everything
   * @param forgets whether nodes that no state has any more leave the memory, and with that the
   *     pages that are {@link #needed}. When that is depends on the JVM, so a simulation that has
   *     to go the same way again keeps them
   */
  public PageCache(
      PageSource source,
      IntFunction<LeafReader<? extends Leaf>> leaves,
      long maxBytes,
      boolean forgets) {
    this.source = source;
    this.leaves = leaves;
    this.maxBytes = maxBytes;
    this.forgets = forgets;
    this.dirty = DirtyMemory.of(this);
  }

  /** Whether everything is kept in memory, so that nothing need be remembered here. */
  boolean keepsAll() {
    return maxBytes == Long.MAX_VALUE;
  }

  /**
   * A reader of a snapshot, from which a replica goes on. It reads only what is in the manifest,
   * and leaves the rest until somebody looks at it. What it reads is marked for {@link
   * PageWriter#incremental}.
   *
   * @param rootVersion how the tries are hashed; always the same one
   */
  public PageReader reader(RootVersion rootVersion) {
    return PageReader.lazy(version(rootVersion), source, this);
  }

  synchronized RootVersion version(RootVersion rootVersion) {
    if (version != null && version != rootVersion) {
      throw new IllegalStateException("the states of one replica have roots of two versions");
    }
    version = rootVersion;
    return rootVersion;
  }

  /** A page that begins at a node, and is not stored yet: until it is, the children stay. */
  StoredPage page(Inner node, Hash hash, int kind) {
    long heap = (long) HEAP_BYTES_PER_BYTE * PageBounds.bytes(node);
    return new StoredPage(node, hash, kind, this, heap, gone, !forgets);
  }

  /** A page that begins at a node whose children are not in memory. */
  void referred(Inner node, Hash hash, int kind) {
    StoredPage page = page(node, hash, kind);
    synchronized (this) {
      page.isStored = true;
      known.add(page);
      forgetGone();
      node.page(page);
    }
  }

  /** The page of a node with its children is stored, so these can be dropped. */
  synchronized void stored(Inner node) {
    StoredPage page = node.page();
    if (page != null) {
      page.isStored = true;
      if (!keepsAll()) {
        known.add(page);
      }
      count(page);
    }
  }

  /** A page will not be stored. The node has its children: they could not be dropped yet. */
  synchronized void notStored(Inner node) {
    node.page(null);
  }

  /**
   * Reads a child of a node.
   *
   * @param stored the page that the node had, when its children were not in memory
   * @return null if the node has another page, or none, by now: then it had its children when that
   *     changed
   * @throws PageUnreadableException if the page cannot be read
   */
  @Nullable TrieNode child(Inner node, StoredPage stored, int side) {
    Inner read;
    try {
      read = read(node, stored);
    } catch (PageMissingException | DecodeException e) {
      TrieNode there = node.inMemory(side);
      if (there != null) {
        return there; // somebody else has read it
      }
      if (isOf(node, stored)) {
        PageUnreadableException unreadable =
            new PageUnreadableException(stored.hash(), e.getMessage(), e);
        listener.accept(unreadable);
        throw unreadable;
      }
      return null; // a collection may have removed it since
    }
    TrieNode left = read.left();
    TrieNode right = read.right();
    synchronized (this) {
      reads++;
      if (isOf(node, stored)) {
        node.children(left, right);
        count(stored);
      }
    }
    return side == 0 ? left : right;
  }

  /** Whether the page is the one of the node still, and not one that a snapshot has replaced. */
  private static boolean isOf(Inner node, StoredPage stored) {
    return node.page() == stored;
  }

  private Inner read(Inner node, StoredPage stored) throws DecodeException, PageMissingException {
    RootVersion always;
    synchronized (this) {
      always = version;
    }
    if (always == null) {
      throw new IllegalStateException("no state was read or written");
    }
    Hash page = stored.hash();
    LeafReader<? extends Leaf> reader = leaves.apply(stored.kind());
    Inner read = PageReader.lazy(always, source, this).page(page, -1, stored.kind(), reader);
    if (read.bit != node.bit
        || read.depth() != node.depth()
        || read.size() != node.size()
        || PageBounds.bytes(read) != PageBounds.bytes(node)
        || !read.hash(always).equals(node.hash(always))) {
      throw new DecodeException("page " + page + " is not what the reference to it says");
    }
    return read;
  }

  /** The children of the node of this stored page are in memory. */
  private void count(StoredPage page) {
    if (keepsAll()) {
      known.remove(page); // it is never read again
      forgetGone();
      return;
    }
    if (page.isCounted) {
      return;
    }
    page.isCounted = true;
    clock.addLast(page);
    bytes += page.bytes;
    forgetGone();
    for (int i = 0; i < TURNS && bytes > room(); i++) {
      turn();
    }
  }

  /** What is dirty takes of what may be dropped, but not the last quarter. */
  private long room() {
    return Math.max(maxBytes - dirty.bytes(), maxBytes / LEAST_ROOM_PART);
  }

  private void forgetGone() {
    Reference<? extends Inner> dead = gone.poll();
    for (int i = 0; i < FORGOTTEN && dead != null; i++) {
      StoredPage page = (StoredPage) dead;
      known.remove(page);
      uncount(page);
      dead = i + 1 < FORGOTTEN ? gone.poll() : null;
    }
    if (stale > clock.size() / 2) {
      clock.removeIf(page -> !page.isCounted);
      stale = 0;
    }
  }

  /** Its node is gone, or needs no page; it stays in the queue for a while. */
  private void uncount(StoredPage page) {
    if (page.isCounted) {
      page.isCounted = false;
      bytes -= page.bytes;
      stale++;
    }
  }

  private void turn() {
    StoredPage first = clock.removeFirst();
    if (!first.isCounted) {
      stale--;
      return;
    }
    Inner node = first.node();
    if (node != null && node.takeUsed()) {
      clock.addLast(first);
      return;
    }
    first.isCounted = false;
    bytes -= first.bytes;
    if (node != null) {
      node.dropChildren();
      drops++;
    }
  }

  /**
   * A page does not begin at this node any more, so its children stay in memory from now on. What
   * other states have of the old page keeps them, too.
   *
   * @throws PageUnreadableException if they are not in memory, and cannot be read
   */
  void keep(Inner node) {
    TrieNode left = node.left();
    TrieNode right = node.right();
    synchronized (this) { // so that they are not dropped in between
      StoredPage page = node.page();
      if (page != null) {
        known.remove(page);
        uncount(page);
      }
      node.children(left, right);
      node.page(null);
    }
  }

  /** A page that a collection must keep, with all that it leads to. */
  public record Needed(Hash page, int kind) {}

  /**
   * The stored pages of all nodes in memory whose children may have to be read, each one once.
   *
   * <p>A node that nobody can reach counts until the JVM has found that out.
   */
  public List<Needed> needed() {
    List<StoredPage> all;
    synchronized (this) {
      forgetGone();
      all = List.copyOf(known);
    }
    return all.stream().map(page -> new Needed(page.hash(), page.kind())).distinct().toList();
  }

  /**
   * Tells somebody of each page that is needed and cannot be read, before whoever needs it gets the
   * exception.
   *
   * @param unreadable called by any thread; must not wait
   */
  public void onUnreadable(Consumer<PageUnreadableException> unreadable) {
    listener = unreadable;
  }

  /** A page that others than a state in memory need cannot be read. */
  public void unreadable(PageMissingException missing) {
    listener.accept(new PageUnreadableException(missing.page(), missing.getMessage(), missing));
  }

  /** What of the replica's newest state cannot be dropped. */
  public DirtyMemory dirty() {
    return dirty;
  }

  /**
   * It was measured.
   *
   * @param before what {@link DirtyMemory#bytes} was when the measured state was the newest one
   * @param pageBytes what the pages would take that are not stored, in bytes
   */
  public void measured(long before, long pageBytes) {
    dirty.measured(before, HEAP_BYTES_PER_BYTE * pageBytes);
  }

  /** What it reads pages from. */
  public PageSource source() {
    return source;
  }

  /** About how much heap the nodes take that can be dropped, in bytes. */
  public synchronized long bytes() {
    return bytes;
  }

  /** How much that may be, in bytes. */
  public long maxBytes() {
    return maxBytes;
  }

  /** How many pages are in memory as nodes. */
  public synchronized int pages() {
    return clock.size() - stale;
  }

  /** How many pages were read so far. */
  public synchronized long reads() {
    return reads;
  }

  /** How many were dropped so far. */
  public synchronized long drops() {
    return drops;
  }
}

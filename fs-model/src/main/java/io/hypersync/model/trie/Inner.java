package io.hypersync.model.trie;

import io.hypersync.model.hash.Hash;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * An inner node of the trie, at one bit: keys with a 0 in that bit are on the left. The hash covers
 * the hashes of both children and the bit (hypersync.md 8.1.1); {@link RootVersion} has the bytes.
 *
 * <p>The hash is computed when it is first requested, and cached in fields of this object: a
 * separate {@link Hash} would cost 16 bytes more, a million files have two million inner nodes, and
 * hashing a path reads the sibling of every inner node on it. Two threads may compute the hash at
 * the same time and get the same result; the first word is written last, with release semantics,
 * and read first, so that a thread which sees it also sees the rest.
 *
 * <p>No cache mixes versions. An inner node can be reached only from states that descend from one
 * genesis: an op makes the next state from one state, takes nodes from no other, and keeps its
 * version, which is final. So whoever requests this hash requests it in the version of that
 * genesis. The version is cached beside the hash all the same, in a spare bit, and a request in
 * another version fails instead of returning a hash that is half of one version and half of the
 * other.
 *
 * <p>A node at which a stored page begins can be without its children: they are read again when
 * they are needed ({@link PageCache}). Everything else of it stays, its hash among that. The
 * children are equal whenever they are read, so it makes no difference which ones a thread gets.
 * They are read with acquire and written with release semantics: a thread that sees a child sees
 * all of it, and one that sees that it is gone sees the page.
 */
final class Inner extends TrieNode {
  private static final VarHandle FIRST;
  private static final VarHandle LEFT;
  private static final VarHandle RIGHT;
  private static final VarHandle PAGE;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      FIRST = lookup.findVarHandle(Inner.class, "hash0", long.class);
      LEFT = lookup.findVarHandle(Inner.class, "left", TrieNode.class);
      RIGHT = lookup.findVarHandle(Inner.class, "right", TrieNode.class);
      PAGE = lookup.findVarHandle(Inner.class, "page", StoredPage.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /**
   * Bit number within the key; at most the last bit of a key of {@link TrieKey#MAX_LENGTH} bytes.
   */
  final short bit;

  private static final int DEPTH = 0x7fff;
  private static final int HASHED_AS_V2 = 0x8000;

  /**
   * Longest path to a leaf, in the lower 15 bits: enough, since a path has at most one inner node
   * for each bit of a key. The highest bit is set before a hash of {@link RootVersion#V2} is
   * cached; it means nothing while there is no hash. Not final for that bit only: a racing thread
   * stores the same value, and whoever reads the depth masks the bit.
   */
  private short depthAndVersion;

  /**
   * Bytes of this subtree in the page that holds it, or 0 while nobody has asked ({@link
   * PageBounds}). Racing threads store the same value.
   */
  private char pageBytes;

  /** Null while the children are not in memory; read and written through {@link #LEFT}. */
  @SuppressWarnings("UnusedVariable")
  private @Nullable TrieNode left;

  /** As {@link #left}. */
  @SuppressWarnings("UnusedVariable")
  private @Nullable TrieNode right;

  private final int size;

  /**
   * The page that begins here, if the newest snapshot has such a page, else null. Written by the
   * thread that takes snapshots ({@link PageWriter}), or by a reader before anybody else sees the
   * node; read and written through {@link #PAGE}.
   */
  @SuppressWarnings("UnusedVariable")
  private @Nullable StoredPage page;

  /** Whether anybody has asked for the children since the cache has looked last; a hint. */
  private boolean isUsed = true;

  /**
   * First word of the hash; 0 while the hash is not cached. A hash that really starts with 64 zero
   * bits (one in 2^64) is never cached.
   */
  @SuppressWarnings("UnusedVariable") // read and written through FIRST
  private long hash0;

  private long hash1;
  private long hash2;
  private long hash3;

  Inner(int bit, TrieNode left, TrieNode right) {
    this(
        (short) bit,
        left,
        right,
        left.size() + right.size(),
        1 + Math.max(left.depth(), right.depth()));
  }

  private Inner(short bit, @Nullable TrieNode left, @Nullable TrieNode right, int size, int depth) {
    this.bit = bit;
    this.left = left;
    this.right = right;
    this.size = size;
    this.depthAndVersion = (short) depth;
  }

  /**
   * A node whose children are not in memory.
   *
   * @param pageBytes bytes of the subtree in its page
   * @param hash of the subtree
   */
  static Inner withoutChildren(
      int bit, int size, int depth, int pageBytes, RootVersion version, Hash hash) {
    Inner inner = new Inner((short) bit, null, null, size, depth);
    inner.pageBytes = (char) pageBytes;
    inner.hash(version, hash);
    return inner;
  }

  TrieNode child(int side) {
    return side == 0 ? left() : right();
  }

  /**
   * The child on the left.
   *
   * @throws PageUnreadableException if it is not in memory, and cannot be read
   */
  TrieNode left() {
    TrieNode child = (TrieNode) LEFT.getAcquire(this);
    return child == null ? absent(0) : used(child);
  }

  /**
   * The child on the right.
   *
   * @throws PageUnreadableException as {@link #left}
   */
  TrieNode right() {
    TrieNode child = (TrieNode) RIGHT.getAcquire(this);
    return child == null ? absent(1) : used(child);
  }

  /** Only the cache unsets the flag, so that nodes of no page are not written to by readers. */
  private TrieNode used(TrieNode child) {
    if (!isUsed) {
      isUsed = true;
    }
    return child;
  }

  /**
   * Without a child there is a stored page, or there was one: then the children have come back
   * since, and who sees the page of now sees them.
   */
  private TrieNode absent(int side) {
    while (true) {
      StoredPage stored = storedPage();
      TrieNode child = stored == null ? inMemory(side) : stored.cache().child(this, stored, side);
      if (child != null) {
        return child;
      }
    }
  }

  /** A child if it is in memory, else null; does not count as use. */
  @Nullable TrieNode inMemory(int side) {
    return (TrieNode) (side == 0 ? LEFT : RIGHT).getAcquire(this);
  }

  /** The page that begins here, or null. It is not stored before its snapshot is finished. */
  @Nullable StoredPage page() {
    return (StoredPage) PAGE.getAcquire(this);
  }

  /** The page that begins here, if it can be read, else null. */
  @Nullable StoredPage storedPage() {
    StoredPage stored = page();
    return stored != null && stored.isStored ? stored : null;
  }

  /**
   * Sets the page that begins here, or null. Without a page the children must be in memory: a
   * thread that sees that there is none sees them.
   */
  void page(@Nullable StoredPage stored) {
    PAGE.setRelease(this, stored);
  }

  /** Sets the children, which are equal to those that this node had, or has. */
  void children(TrieNode newLeft, TrieNode newRight) {
    isUsed = true;
    LEFT.setRelease(this, newLeft);
    RIGHT.setRelease(this, newRight);
  }

  /** Gives the children up; whoever needs them reads the page. */
  void dropChildren() {
    LEFT.setRelease(this, null);
    RIGHT.setRelease(this, null);
  }

  /** Whether anybody has asked for the children since the last call. */
  boolean takeUsed() {
    boolean was = isUsed;
    isUsed = false;
    return was;
  }

  /**
   * A copy with another child on one side. The other child is usually not in a CPU cache, so it is
   * read only if the depth may have decreased: if the replaced child was the deeper one, or as deep
   * as the other, and has become shallower.
   */
  Inner with(int side, TrieNode child) {
    replaced();
    TrieNode old = child(side);
    int newSize = size - old.size() + child.size();
    int newDepth =
        child.depth() >= old.depth() || 1 + old.depth() < depth()
            ? Math.max(depth(), 1 + child.depth())
            : 1 + Math.max(child.depth(), child(1 - side).depth());
    return side == 0
        ? new Inner(bit, child, right(), newSize, newDepth)
        : new Inner(bit, left(), child, newSize, newDepth);
  }

  /** Another node takes over what this one has, or a part of it: see {@link DirtyMemory}. */
  void replaced() {
    StoredPage stored = page();
    if (stored != null) {
      stored.cache().dirty().replaced(stored);
    }
  }

  /** Bytes of this subtree in the page that holds it; 0 if not computed yet. */
  int pageBytes() {
    return pageBytes;
  }

  void pageBytes(int bytes) {
    pageBytes = (char) bytes;
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public int depth() {
    return depthAndVersion & DEPTH;
  }

  @Override
  public Hash hash(RootVersion version) {
    long first = (long) FIRST.getAcquire(this);
    if (first != 0) {
      if (version != hashedAs()) {
        throw new IllegalStateException(
            "a trie that was hashed as " + hashedAs() + " is asked for " + version);
      }
      return new Hash(first, hash1, hash2, hash3);
    }
    Hash hash = version.inner(left().hash(version), right().hash(version), bit);
    hash(version, hash);
    return hash;
  }

  /** Caches the hash of this subtree, which the caller knows. */
  void hash(RootVersion version, Hash hash) {
    hash1 = hash.w1();
    hash2 = hash.w2();
    hash3 = hash.w3();
    if (version == RootVersion.V2) {
      depthAndVersion = (short) (depthAndVersion | HASHED_AS_V2);
    }
    FIRST.setRelease(this, hash.w0());
  }

  /** The version of the cached hash. */
  private RootVersion hashedAs() {
    return (depthAndVersion & HASHED_AS_V2) == 0 ? RootVersion.V1 : RootVersion.V2;
  }
}

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
 */
final class Inner extends TrieNode {
  private static final VarHandle FIRST;

  static {
    try {
      FIRST = MethodHandles.lookup().findVarHandle(Inner.class, "hash0", long.class);
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

  final TrieNode left;
  final TrieNode right;
  private final int size;

  /**
   * The hash of the page that begins here, if the newest snapshot has such a page, else null.
   * Written by the thread that takes snapshots, and read by no other ({@link PageWriter}).
   */
  @Nullable Hash page;

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

  private Inner(short bit, TrieNode left, TrieNode right, int size, int depth) {
    this.bit = bit;
    this.left = left;
    this.right = right;
    this.size = size;
    this.depthAndVersion = (short) depth;
  }

  TrieNode child(int side) {
    return side == 0 ? left : right;
  }

  /**
   * A copy with another child on one side. The other child is usually not in a CPU cache, so it is
   * read only if the depth may have decreased: if the replaced child was the deeper one, or as deep
   * as the other, and has become shallower.
   */
  Inner with(int side, TrieNode child) {
    TrieNode old = child(side);
    int newSize = size - old.size() + child.size();
    int newDepth =
        child.depth() >= old.depth() || 1 + old.depth() < depth()
            ? Math.max(depth(), 1 + child.depth())
            : 1 + Math.max(child.depth(), child(1 - side).depth());
    return side == 0
        ? new Inner(bit, child, right, newSize, newDepth)
        : new Inner(bit, left, child, newSize, newDepth);
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
    Hash hash = version.inner(left.hash(version), right.hash(version), bit);
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

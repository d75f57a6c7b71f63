package io.hypersync.model.trie;

import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * An inner node of the trie, at one bit: keys with a 0 in that bit are on the left. The hash covers
 * the hashes of both children and the metadata of the node (hypersync.md 8.1.1):
 *
 * <pre>
 *   0                32               64         68          69
 *   +----------------+----------------+----------+-----------+
 *   | left hash 32 B | right hash 32 B| bit u32  | domain u8 |
 *   |                |                |          |   = 1     |
 *   +----------------+----------------+----------+-----------+
 * </pre>
 *
 * <p>The hash is computed when it is first requested, and cached in fields of this object: a
 * separate {@link Hash} would cost 16 bytes more, a million files have two million inner nodes, and
 * hashing a path reads the sibling of every inner node on it. Two threads may compute the hash at
 * the same time and get the same result; the first word is written last, with release semantics,
 * and read first, so that a thread which sees it also sees the other three.
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

  private static final int METADATA_BYTES = Integer.BYTES + 1;
  private static final long INNER_DOMAIN = (long) MerkleTrie.INNER_DOMAIN << Integer.SIZE;

  /**
   * Bit number within the key; at most the last bit of a key of {@link TrieKey#MAX_LENGTH} bytes.
   */
  final short bit;

  /**
   * Longest path to a leaf. Takes no extra memory, as it fits into the padding after {@code bit}. A
   * short is enough, since a path has at most one inner node for each bit of a key.
   */
  private final short depth;

  final TrieNode left;
  final TrieNode right;
  private final int size;

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
    this.depth = (short) depth;
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
        child.depth() >= old.depth() || 1 + old.depth() < depth
            ? Math.max(depth, 1 + child.depth())
            : 1 + Math.max(child.depth(), child(1 - side).depth());
    return side == 0
        ? new Inner(bit, child, right, newSize, newDepth)
        : new Inner(bit, left, child, newSize, newDepth);
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public int depth() {
    return depth;
  }

  @Override
  public Hash hash() {
    long first = (long) FIRST.getAcquire(this);
    if (first != 0) {
      return new Hash(first, hash1, hash2, hash3);
    }
    Hash hash = hash(left.hash(), right.hash(), bit);
    hash1 = hash.w1();
    hash2 = hash.w2();
    hash3 = hash.w3();
    FIRST.setRelease(this, hash.w0());
    return hash;
  }

  /** The hash of an inner node at this bit with these child hashes. */
  static Hash hash(Hash left, Hash right, int bit) {
    long metadata = Integer.toUnsignedLong(Integer.reverseBytes(bit)) | INNER_DOMAIN;
    return Blake3.pairAndTail(left, right, metadata, METADATA_BYTES);
  }
}

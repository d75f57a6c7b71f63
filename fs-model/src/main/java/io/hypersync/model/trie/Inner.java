package io.hypersync.model.trie;

import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A branch at one bit: keys with 0 there are on the left. Hashed are the two hashes and the node's
 * metadata (hypersync.md 8.1.1):
 *
 * <pre>
 *   0                32               64         68          69
 *   +----------------+----------------+----------+-----------+
 *   | left hash 32 B | right hash 32 B| bit u32  | domain u8 |
 *   |                |                |          |   = 1     |
 *   +----------------+----------------+----------+-----------+
 * </pre>
 *
 * <p>The hash is computed when it is first asked for, and kept in the node itself: a {@link Hash}
 * of its own would cost 16 bytes more, a million files have two million branches, and whoever
 * hashes a path reads the other side of every branch on it. Two threads may compute it at once, and
 * find the same; the first word, written last and read first, says that the others are there.
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

  /** At most that of the last bit of the longest key; {@link TrieKey#MAX_LENGTH}. */
  final short bit;

  /** Beside the bit it costs no memory; a path has a branch for each bit of a key at most. */
  private final short depth;

  final TrieNode left;
  final TrieNode right;
  private final int size;

  /** The words of the hash; 0 while it is not known, and of one hash in 2^64, which is not kept. */
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
   * With another child on one side. The other side, which is in no cache as a rule, is looked at
   * only if the depth may have become less: the deeper side, or one of two, has become shallower.
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

  /** The hash of a branch at this bit over two hashes. */
  static Hash hash(Hash left, Hash right, int bit) {
    long metadata = Integer.toUnsignedLong(Integer.reverseBytes(bit)) | INNER_DOMAIN;
    return Blake3.pairAndTail(left, right, metadata, METADATA_BYTES);
  }
}

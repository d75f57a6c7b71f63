package io.hypersync.model.trie;

import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

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
 */
final class Inner implements TrieNode {
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

  private static final int BLOCK_BYTES = 2 * Hash.BYTES + Integer.BYTES + 1;

  final int bit;
  final TrieNode left;
  final TrieNode right;
  private final int size;
  private @Nullable Hash hash;

  Inner(int bit, TrieNode left, TrieNode right) {
    this.bit = bit;
    this.left = left;
    this.right = right;
    this.size = left.size() + right.size();
  }

  TrieNode child(int side) {
    return side == 0 ? left : right;
  }

  Inner with(int side, TrieNode child) {
    return side == 0 ? new Inner(bit, child, right) : new Inner(bit, left, child);
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public Hash hash() {
    Hash known = hash;
    if (known == null) {
      known = hash(left.hash(), right.hash(), bit);
      hash = known;
    }
    return known;
  }

  /** The hash of a branch at this bit over two hashes. */
  static Hash hash(Hash left, Hash right, int bit) {
    byte[] block = new byte[BLOCK_BYTES];
    left.write(block, 0);
    right.write(block, Hash.BYTES);
    INT.set(block, 2 * Hash.BYTES, bit);
    block[BLOCK_BYTES - 1] = MerkleTrie.INNER_DOMAIN;
    return Blake3.hash(block);
  }
}

package io.hypersync.model.trie;

import io.hypersync.model.hash.Hash;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * A persistent crit-bit trie with a hash in every node. A change copies the path from the root, so
 * older versions remain valid and unchanged. The shape depends only on the set of keys, so two
 * tries with equal leaves have equal roots, whatever their history.
 *
 * <p>The last byte of everything that is hashed is a domain byte, so that a leaf can never be
 * mistaken for an inner node: 0 for a leaf, 1 for an inner node, 2 or 3 for the whole state. In
 * {@link RootVersion#V2} the domain of inner nodes is in their key instead.
 *
 * <p>A trie does not know its {@link RootVersion}: the state that it belongs to does, and passes it
 * to whatever computes hashes. It must be the same one each time.
 *
 * <p>Threads: an instance may be read by any thread. A hash is computed by the thread that first
 * requests it ({@link Inner}), possibly while another thread derives a new version from the same
 * trie. Before a state is published its {@link #root(RootVersion)} must have been computed, so that
 * readers never compute hashes.
 *
 * @param <L> the type of the leaves
 */
public final class MerkleTrie<L extends Leaf> implements Iterable<L> {
  static final int LEAF_DOMAIN = 0;
  static final int INNER_DOMAIN = 1;

  private static final MerkleTrie<Leaf> EMPTY = new MerkleTrie<>(null);

  private final @Nullable TrieNode top;

  private MerkleTrie(@Nullable TrieNode top) {
    this.top = top;
  }

  /** The empty trie. */
  @SuppressWarnings("unchecked") // it has no leaves, so any type is right
  public static <L extends Leaf> MerkleTrie<L> empty() {
    return (MerkleTrie<L>) EMPTY;
  }

  /** The trie below a node, whose leaves must all be of type L. */
  static <L extends Leaf> MerkleTrie<L> of(TrieNode top) {
    return new MerkleTrie<>(top);
  }

  /** The node at the root, or null for the empty trie. */
  @Nullable TrieNode top() {
    return top;
  }

  public int size() {
    return top == null ? 0 : top.size();
  }

  public boolean isEmpty() {
    return top == null;
  }

  /**
   * The Merkle root; {@link Hash#ZERO} for the empty trie. Computes only the hashes that have
   * changed since the last call.
   *
   * @throws IllegalStateException if hashes of another version are cached in this trie
   */
  public Hash root(RootVersion version) {
    return top == null ? Hash.ZERO : top.hash(version);
  }

  /** The longest path from the root to a leaf: 0 when empty, 1 for a single leaf. */
  public int depth() {
    return top == null ? 0 : top.depth();
  }

  /** The leaf with this key, or null. */
  public @Nullable L get(TrieKey key) {
    if (top == null) {
      return null;
    }
    L best = closest(key);
    return TrieKey.firstDifference(best.key(), key) < 0 ? best : null;
  }

  /**
   * The proof that the leaf with this key is in the trie with this {@link #root} (hypersync.md
   * 8.1.1), or null if there is no such leaf. Takes one step for each inner node above the leaf if
   * the root has been computed.
   */
  public @Nullable MerkleProof proof(TrieKey key, RootVersion version) {
    L leaf = get(key);
    if (leaf == null) {
      return null;
    }
    ArrayDeque<MerkleProof.Step> upwards = new ArrayDeque<>();
    TrieNode node = top;
    while (node instanceof Inner inner) {
      int side = TrieKey.bitOf(key, inner.bit);
      upwards.push(new MerkleProof.Step(inner.bit, side == 1, inner.child(1 - side).hash(version)));
      node = inner.child(side);
    }
    return new MerkleProof(leaf.hash(version), List.copyOf(upwards));
  }

  /** A trie with this leaf added, or replaced if one has the same key. */
  public MerkleTrie<L> with(L leaf) {
    if (top == null) {
      return new MerkleTrie<>(leaf);
    }
    TrieKey key = leaf.key();
    int difference = TrieKey.firstDifference(closest(key).key(), key);
    return new MerkleTrie<>(insert(top, leaf, key, difference));
  }

  /** A trie without the leaf of this key; this instance if there is none. */
  public MerkleTrie<L> without(TrieKey key) {
    if (get(key) == null || top == null) {
      return this;
    }
    TrieNode rest = remove(top, key);
    return rest == null ? empty() : new MerkleTrie<>(rest);
  }

  /**
   * A trie without the leaves from {@code from} to {@code to}, exclusive; this instance if there
   * are none. Drops whole subtrees, so the cost does not grow with the number of leaves removed.
   */
  public MerkleTrie<L> withoutRange(TrieKey from, TrieKey to) {
    if (top == null) {
      return this;
    }
    TrieNode rest = removeRange(top, from, to);
    if (rest == null) {
      return empty();
    }
    return rest.size() == top.size() ? this : new MerkleTrie<>(rest);
  }

  /** The first leaf in order, or null. */
  public @Nullable L first() {
    return top == null ? null : end(top, 0);
  }

  /** The last leaf in order, or null. */
  public @Nullable L last() {
    return top == null ? null : end(top, 1);
  }

  /** The leaf with the greatest key that is at most {@code key}, or null. */
  public @Nullable L floor(TrieKey key) {
    if (top == null) {
      return null;
    }
    int difference = TrieKey.firstDifference(closest(key).key(), key);
    TrieNode node = top;
    @Nullable TrieNode smaller = null;
    while (node instanceof Inner inner && (difference < 0 || inner.bit < difference)) {
      int side = TrieKey.bitOf(key, inner.bit);
      if (side == 1) {
        smaller = inner.left();
      }
      node = inner.child(side);
    }
    // All keys below node first differ from the key at `difference`, so all are on the same side of
    // it.
    if (difference < 0 || TrieKey.bitOf(key, difference) == 1) {
      return end(node, 1);
    }
    return smaller == null ? null : end(smaller, 1);
  }

  /** All leaves, in bytewise order of their keys. */
  @Override
  public Iterator<L> iterator() {
    Cursor cursor = new Cursor();
    if (top != null) {
      cursor.pending.push(top);
    }
    return cursor;
  }

  /** The leaves whose key is at least {@code key}, in order. */
  public Iterator<L> iterator(TrieKey key) {
    Cursor cursor = new Cursor();
    if (top == null) {
      return cursor;
    }
    int difference = TrieKey.firstDifference(closest(key).key(), key);
    TrieNode node = top;
    while (node instanceof Inner inner && (difference < 0 || inner.bit < difference)) {
      int side = TrieKey.bitOf(key, inner.bit);
      if (side == 0) {
        cursor.pending.push(inner.right());
      }
      node = inner.child(side);
    }
    if (difference < 0 || TrieKey.bitOf(key, difference) == 0) {
      cursor.pending.push(node);
    }
    return cursor;
  }

  /** Receives what differs between two tries. */
  @FunctionalInterface
  public interface DifferenceListener<L extends Leaf> {
    /**
     * A key whose leaf differs; the two are never both null.
     *
     * @param before the leaf of the first trie, or null
     * @param after the leaf of the second trie, or null
     */
    void differs(@Nullable L before, @Nullable L after);
  }

  /** Two subtrees that are to be compared; not both null. */
  private record Pair(@Nullable TrieNode before, @Nullable TrieNode after) {}

  /**
   * Compares two tries leaf by leaf, in no certain order. Subtrees with equal hashes are passed
   * over, so the cost is that of what differs. Not recursive: names can be chosen so that a
   * directory is thousands of nodes deep.
   *
   * @param version how both are hashed
   */
  public static <L extends Leaf> void compare(
      MerkleTrie<L> before,
      MerkleTrie<L> after,
      RootVersion version,
      DifferenceListener<L> listener) {
    ArrayDeque<Pair> rest = new ArrayDeque<>();
    push(rest, before.top, after.top);
    while (!rest.isEmpty()) {
      Pair pair = rest.pop();
      TrieNode a = pair.before;
      TrieNode b = pair.after;
      if (a == null || b == null) {
        MerkleTrie<L> there = new MerkleTrie<>(a == null ? b : a);
        there.forEach(leaf -> listener.differs(a == null ? null : leaf, a == null ? leaf : null));
        continue;
      }
      int bitA = a instanceof Inner inner ? inner.bit : Integer.MAX_VALUE;
      int bitB = b instanceof Inner inner ? inner.bit : Integer.MAX_VALUE;
      if (bitA == bitB && a.hash(version).equals(b.hash(version))) {
        continue;
      }
      if (a instanceof Inner x && b instanceof Inner y && bitA == bitB) {
        push(rest, x.right(), y.right());
        push(rest, x.left(), y.left());
      } else if (a instanceof Inner x && bitA < bitB) {
        // All keys of the other one have the same value in this bit.
        int side = TrieKey.bitOf(before.end(b, 0).key(), bitA);
        push(rest, x.right(), side == 1 ? b : null);
        push(rest, x.left(), side == 0 ? b : null);
      } else if (b instanceof Inner y) {
        int side = TrieKey.bitOf(before.end(a, 0).key(), bitB);
        push(rest, side == 1 ? a : null, y.right());
        push(rest, side == 0 ? a : null, y.left());
      } else {
        L leafA = before.leaf((Leaf) a);
        L leafB = before.leaf((Leaf) b);
        if (TrieKey.firstDifference(leafA.key(), leafB.key()) < 0) {
          listener.differs(leafA, leafB);
        } else {
          listener.differs(leafA, null);
          listener.differs(null, leafB);
        }
      }
    }
  }

  @SuppressWarnings("ReferenceEquality") // whether it is the very same node; hashes come later
  private static void push(
      ArrayDeque<Pair> rest, @Nullable TrieNode before, @Nullable TrieNode after) {
    if (before != after) {
      rest.push(new Pair(before, after));
    }
  }

  private L closest(TrieKey key) {
    TrieNode node = top;
    while (node instanceof Inner inner) {
      node = inner.child(TrieKey.bitOf(key, inner.bit));
    }
    return leaf((Leaf) node);
  }

  private static TrieNode insert(TrieNode node, Leaf leaf, TrieKey key, int difference) {
    if (node instanceof Inner inner && (difference < 0 || inner.bit < difference)) {
      int side = TrieKey.bitOf(key, inner.bit);
      return inner.with(side, insert(inner.child(side), leaf, key, difference));
    }
    if (difference < 0) {
      return leaf;
    }
    return TrieKey.bitOf(key, difference) == 0
        ? new Inner(difference, leaf, node)
        : new Inner(difference, node, leaf);
  }

  private static @Nullable TrieNode remove(TrieNode node, TrieKey key) {
    return switch (node) {
      case Leaf _ -> null;
      case Inner inner -> {
        int side = TrieKey.bitOf(key, inner.bit);
        TrieNode rest = remove(inner.child(side), key);
        if (rest == null) {
          inner.replaced();
          yield inner.child(1 - side);
        }
        yield inner.with(side, rest);
      }
    };
  }

  private @Nullable TrieNode removeRange(TrieNode node, TrieKey from, TrieKey to) {
    TrieKey first = end(node, 0).key();
    TrieKey last = end(node, 1).key();
    if (TrieKey.compare(last, from) < 0 || TrieKey.compare(first, to) >= 0) {
      return node;
    }
    if (TrieKey.compare(first, from) >= 0 && TrieKey.compare(last, to) < 0) {
      return null;
    }
    Inner inner = (Inner) node; // a leaf is either outside or inside
    TrieNode left = removeRange(inner.left(), from, to);
    TrieNode right = removeRange(inner.right(), from, to);
    if (left == null || right == null) {
      inner.replaced();
      return left == null ? right : left;
    }
    if (left.size() + right.size() == inner.size()) {
      return inner; // nothing was removed: keep the cached hash
    }
    inner.replaced();
    return new Inner(inner.bit, left, right);
  }

  private L end(TrieNode start, int side) {
    TrieNode node = start;
    while (node instanceof Inner inner) {
      node = inner.child(side);
    }
    return leaf((Leaf) node);
  }

  @SuppressWarnings("unchecked") // only instances of L are ever added
  private L leaf(Leaf leaf) {
    return (L) leaf;
  }

  private final class Cursor implements Iterator<L> {
    final ArrayDeque<TrieNode> pending = new ArrayDeque<>();

    @Override
    public boolean hasNext() {
      return !pending.isEmpty();
    }

    @Override
    public L next() {
      if (pending.isEmpty()) {
        throw new NoSuchElementException();
      }
      TrieNode node = pending.pop();
      while (node instanceof Inner inner) {
        pending.push(inner.right());
        node = inner.left();
      }
      return leaf((Leaf) node);
    }
  }
}

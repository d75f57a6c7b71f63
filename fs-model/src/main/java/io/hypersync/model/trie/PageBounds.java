package io.hypersync.model.trie;

/**
 * Where a trie is cut into pages. A page is a subtree in canonical bytes ({@link PageWriter}), and
 * where one begins follows from the trie alone: replicas with equal tries have equal pages,
 * whatever their histories, and two tries share the pages of what they have in common.
 *
 * <p>The rule goes from the leaves to the root. A node whose subtree takes at most {@link
 * #PAGE_BYTES} is written as a whole. In one that would take more, each child that is an inner node
 * of more than {@link #INLINE_BYTES} begins a page of its own and counts for no more than the
 * reference to it. So far above the leaves pages consist of references, and many of them fit.
 *
 * <p>A page takes at most {@link #PAGE_BYTES}, or at most two leaves and what surrounds them if
 * those are larger. It takes more than {@link #INLINE_BYTES}.
 */
final class PageBounds {
  /** What a page takes at most, in bytes, unless two leaves take more. */
  static final int PAGE_BYTES = 8 * 1024;

  /** Subtrees of at most this many bytes are never a page of their own. */
  static final int INLINE_BYTES = 1024;

  /** A tag. */
  static final int TAG_BYTES = 1;

  /** A tag and the bit. */
  static final int INNER_BYTES = TAG_BYTES + 2;

  /** A tag, bit, bytes, depth, size, hash of the subtree, hash of the page. */
  static final int REFERENCE_BYTES = TAG_BYTES + 2 + 2 + 2 + 4 + 32 + 32;

  private PageBounds() {}

  /** The bytes of a subtree in the page that holds it; pages below it count as references. */
  static int bytes(TrieNode node) {
    return switch (node) {
      case Leaf leaf -> TAG_BYTES + leaf.pageBytes();
      case Inner inner -> {
        int known = inner.pageBytes();
        if (known == 0) {
          known = compute(inner);
          inner.pageBytes(known);
        }
        yield known;
      }
    };
  }

  private static int compute(Inner inner) {
    int left = bytes(inner.left());
    int right = bytes(inner.right());
    int whole = INNER_BYTES + left + right;
    if (whole <= PAGE_BYTES) {
      return whole;
    }
    return INNER_BYTES
        + (isLarge(inner.left()) ? REFERENCE_BYTES : left)
        + (isLarge(inner.right()) ? REFERENCE_BYTES : right);
  }

  /** Whether pages begin at the children of this node, those that {@link #isLarge} says so of. */
  static boolean isCut(Inner inner) {
    return INNER_BYTES + bytes(inner.left()) + bytes(inner.right()) > PAGE_BYTES;
  }

  /** Whether a page may begin at this node. */
  static boolean isLarge(TrieNode node) {
    return node instanceof Inner && bytes(node) > INLINE_BYTES;
  }

  /** The bytes that a whole trie takes in the record that holds it. */
  static int trieBytes(MerkleTrie<?> trie) {
    TrieNode top = trie.top();
    if (top == null) {
      return TAG_BYTES;
    }
    return isLarge(top) ? REFERENCE_BYTES : bytes(top);
  }
}

package io.hypersync.model.trie;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * A walk over a trie that reads no page into memory: it comes to the leaves that are there, and
 * leaves the pages of the others to a {@link PageWalker}. So looking at all of a large state takes
 * no memory from what others use of it. Not thread-safe; the trie may be in use by others.
 *
 * @param <L> the type of the leaves
 */
public final class TrieWalk<L extends Leaf> {
  private final ArrayDeque<TrieNode> pending = new ArrayDeque<>();
  private final int kind;
  private final LeafWalker leaves;

  /**
   * A walk that has not begun.
   *
   * @param kind the kind of the trie's pages
   * @param leaves walks over the leaves of those pages
   */
  public TrieWalk(MerkleTrie<L> trie, int kind, LeafWalker leaves) {
    this.kind = kind;
    this.leaves = leaves;
    TrieNode top = trie.top();
    if (top != null) {
      pending.push(top);
    }
  }

  /**
   * Comes to the next leaf that is in memory. Of the others {@code pages} is told the stored pages.
   *
   * @return null if there is none left
   */
  @SuppressWarnings("unchecked") // the trie has only instances of L
  public @Nullable L next(PageWalker pages) {
    while (true) {
      switch (pending.poll()) {
        case null -> {
          return null;
        }
        case Leaf leaf -> {
          return (L) leaf;
        }
        case Inner inner -> {
          TrieNode left = inner.inMemory(0);
          TrieNode right = inner.inMemory(1);
          StoredPage stored = inner.storedPage();
          if ((left == null || right == null) && stored != null) {
            pages.page(stored.hash(), kind, leaves);
          } else {
            pending.push(right == null ? inner.right() : right);
            pending.push(left == null ? inner.left() : left);
          }
        }
      }
    }
  }
}

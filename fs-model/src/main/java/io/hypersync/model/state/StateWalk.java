package io.hypersync.model.state;

import io.hypersync.model.codec.CanonicalReader;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.trie.PageWalker;
import io.hypersync.model.trie.TrieWalk;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A walk over all chunks that a state has: bytes of its files, those without a name too, and values
 * of extended attributes (head reachability of hypersync.md 14.2). What is not in memory is not
 * read into it, but left to a {@link PageWalker}. Not thread-safe; the state may be in use by
 * others.
 *
 * <p>It holds what is left of the state, and nothing of it when it has come to its end.
 */
public final class StateWalk {
  private final TrieWalk<Node> nodes;
  private @Nullable LongFunction<PageWalker> orphans;
  private boolean isDone;

  /** A walk that has not begun. */
  public StateWalk(FsState state) {
    nodes = new TrieWalk<>(state.nodes(), PageKind.NODES, this::page);
  }

  /**
   * Has the chunks of nodes without a name, and the pages of their own, told to somebody else than
   * all others. To be called before the first step.
   *
   * @param others whom, by the change time of such a node in nanoseconds since 1970; must tell of
   *     all that it is told
   */
  public void orphansTo(LongFunction<PageWalker> others) {
    orphans = others;
  }

  private void page(CanonicalReader in, PageWalker pages) throws DecodeException {
    LongFunction<PageWalker> others = orphans;
    if (others == null) {
      Node.walkPage(in, pages);
    } else {
      Node.walkPage(in, pages, others);
    }
  }

  /** Whether it has come to every node; the pages are up to the walker that was told of them. */
  public boolean isDone() {
    return isDone;
  }

  /**
   * Names the chunks of some nodes in memory.
   *
   * @param count how many nodes at most
   * @param pages is told of each chunk, some of them more than once, and of the stored pages, which
   *     its next steps read
   */
  public void step(int count, PageWalker pages) {
    for (int i = 0; i < count && !isDone; i++) {
      Node node = nodes.next(pages);
      if (node == null) {
        isDone = true;
      } else {
        LongFunction<PageWalker> others = orphans;
        boolean isOther = others != null && node.isOrphan();
        chunks(node, isOther ? others.apply(node.attributes().ctimeNs()) : pages);
      }
    }
  }

  private static void chunks(Node node, PageWalker pages) {
    TrieWalk<Xattr> xattrs = new TrieWalk<>(node.xattrs(), PageKind.XATTRS, Xattr::walkPage);
    for (Xattr xattr = xattrs.next(pages); xattr != null; xattr = xattrs.next(pages)) {
      if (xattr.value().length() > 0) {
        pages.chunk(xattr.value().hash());
      }
    }
    if (node.content() instanceof FileContent file) {
      TrieWalk<Extent> extents = new TrieWalk<>(file.extents(), PageKind.EXTENTS, Extent::walkPage);
      for (Extent extent = extents.next(pages); extent != null; extent = extents.next(pages)) {
        pages.chunk(extent.chunk());
      }
    }
  }
}

package io.hypersync.leader.collection;

import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.trie.PageMissingException;
import io.hypersync.model.trie.PageSource;
import io.hypersync.model.trie.PageVisitor;
import io.hypersync.model.trie.PageWalker;
import java.util.ArrayDeque;

/**
 * What nodes without a name have, put aside until all else is marked: then it is known what only
 * they keep (hypersync.md 6.8, 14.2). Nothing is lost here: all that was put aside is handed on by
 * {@link #step}. Not thread-safe.
 *
 * <p>It is bounded. What has no place counts for the newest state, like what has a name.
 */
final class OpenFiles {
  /** 64 bytes of heap each, or twice that for a page. */
  static final int MOST = 1 << 16;

  private final PageVisitor marks;
  private final PageWalker aside;
  private final int most;
  private final ArrayDeque<Hash> chunks = new ArrayDeque<>();
  private final ArrayDeque<Hash> pages = new ArrayDeque<>();
  private boolean handsOn;
  private long oldestNs = Long.MAX_VALUE;

  /**
   * Has nothing yet.
   *
   * @param marks is told of the pages and chunks when they are handed on
   * @param most about how many of them may be put aside
   */
  OpenFiles(PageSource source, PageVisitor marks, int most) {
    this.most = most;
    this.marks = marks;
    this.aside = new PageWalker(source, new Aside());
  }

  /**
   * Who is told of the next such node.
   *
   * @param ctimeNs its change time
   * @param others of whom it counts if there is no place for it
   */
  PageWalker walker(long ctimeNs, PageWalker others) {
    if (chunks.size() + pages.size() >= most) {
      return others;
    }
    oldestNs = Math.min(oldestNs, ctimeNs);
    return aside;
  }

  /**
   * Hands on some of it.
   *
   * @return whether there is more
   * @throws DecodeException if a page is not what it should be
   * @throws PageMissingException if a page is not there
   */
  boolean step(int count) throws DecodeException, PageMissingException {
    handsOn = true;
    for (int i = 0; i < count; i++) {
      if (!chunks.isEmpty()) {
        marks.chunk(chunks.removeFirst());
      } else if (!pages.isEmpty()) {
        var _ = marks.page(pages.removeFirst());
      } else if (!aside.step()) {
        return false;
      }
    }
    return true;
  }

  /**
   * The change time of the node that has not been changed for longest, in nanoseconds since 1970;
   * losing the last name is a change. 0 if there was no such node.
   */
  long oldestNs() {
    return oldestNs == Long.MAX_VALUE ? 0 : oldestNs;
  }

  private final class Aside implements PageVisitor {
    @Override
    public boolean page(Hash page) {
      if (handsOn) {
        return marks.page(page);
      }
      pages.add(page);
      return true; // it is read when it is handed on
    }

    @Override
    public void chunk(Hash chunk) {
      if (handsOn) {
        marks.chunk(chunk);
      } else {
        chunks.add(chunk);
      }
    }
  }
}

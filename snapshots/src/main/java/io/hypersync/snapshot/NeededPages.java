package io.hypersync.snapshot;

import io.hypersync.model.state.StatePages;
import io.hypersync.model.trie.PageCache;
import io.hypersync.model.trie.PageWalker;
import java.util.Iterator;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Hands a collection the pages that nodes in memory need, some at a time. Not thread-safe. */
public final class NeededPages {
  private final Supplier<List<PageCache.Needed>> needed;
  private @Nullable Iterator<PageCache.Needed> rest;

  /**
   * Pages that are asked for at the first call of {@link #next}.
   *
   * @param needed {@link PageCache#needed}
   */
  public NeededPages(Supplier<List<PageCache.Needed>> needed) {
    this.needed = needed;
  }

  /** Whether the pages have been asked for. */
  public boolean hasBegun() {
    return rest != null;
  }

  /**
   * Tells the walker of some pages.
   *
   * @param most how many at most
   * @return whether there are more, or the walker has some to read
   */
  public boolean next(PageWalker walker, int most) {
    Iterator<PageCache.Needed> pages = rest;
    if (pages == null) {
      pages = needed.get().iterator();
      rest = pages;
    }
    for (int i = 0; i < most && pages.hasNext(); i++) {
      PageCache.Needed page = pages.next();
      walker.page(page.page(), page.kind(), StatePages.walker(page.kind()));
    }
    return pages.hasNext() || !walker.isDone();
  }
}

package io.hypersync.model.trie;

import io.hypersync.model.hash.Hash;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when a part of a state is not in memory, and the page that has it is not there or is
 * damaged. Nothing has changed: the same call can succeed once the page is there. Unchecked, since
 * any look at a state can need a page.
 */
public final class PageUnreadableException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient Hash page;

  /** An exception about one page. */
  public PageUnreadableException(Hash page, @Nullable String why, Exception cause) {
    super(why, cause);
    this.page = page;
  }

  /** The hash of the page. */
  public Hash page() {
    return page;
  }
}

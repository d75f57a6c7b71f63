package io.hypersync.model.trie;

import io.hypersync.model.hash.Hash;

/** Thrown when a page that a snapshot refers to is not there, or is damaged. */
public final class PageMissingException extends Exception {
  private static final long serialVersionUID = 1L;

  private final transient Hash page;

  /**
   * An exception about one page.
   *
   * @param page its hash
   * @param reason what is wrong with it, for the message
   */
  public PageMissingException(Hash page, String reason) {
    super("page " + page + " " + reason);
    this.page = page;
  }

  /** The hash of the page. */
  public Hash page() {
    return page;
  }
}

package io.hypersync.worker.vfs;

import io.hypersync.model.hash.Hash;
import java.util.List;

/**
 * Pages of the state that a request needs cannot be read here. It cannot go on without the first
 * one; the others are those that it would come to next.
 */
final class PagesUnreadable extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final transient List<Hash> pages;

  /** Names at least one page, each once. */
  PagesUnreadable(List<Hash> pages, Throwable cause) {
    super(cause);
    this.pages = List.copyOf(pages);
  }

  List<Hash> pages() {
    return pages;
  }
}

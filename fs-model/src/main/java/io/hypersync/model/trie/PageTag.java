package io.hypersync.model.trie;

/** What follows in a page. */
final class PageTag {
  static final int EMPTY = 0;
  static final int LEAF = 1;
  static final int INNER = 2;
  static final int REFERENCE = 3;

  private PageTag() {}
}

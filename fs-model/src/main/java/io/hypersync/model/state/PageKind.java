package io.hypersync.model.state;

/** The kinds of pages by their leaves, as in the header of a page; they never change. */
final class PageKind {
  static final int NODES = 1;
  static final int ENTRIES = 2;
  static final int EXTENTS = 3;
  static final int XATTRS = 4;
  static final int ORPHANS = 5;

  private PageKind() {}
}

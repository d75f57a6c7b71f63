package io.hypersync.model.state;

import io.hypersync.model.codec.CanonicalReader;
import io.hypersync.model.codec.CanonicalWriter;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.trie.Leaf;
import io.hypersync.model.trie.LeafReader;
import io.hypersync.model.trie.LeafWalker;
import io.hypersync.model.trie.MerkleTrie;
import io.hypersync.model.trie.PageMissingException;
import io.hypersync.model.trie.PageReader;
import io.hypersync.model.trie.PageVisitor;
import io.hypersync.model.trie.PageWalker;
import io.hypersync.model.trie.PageWriter;
import io.hypersync.model.trie.RootVersion;
import org.jspecify.annotations.Nullable;

/**
 * A whole state as pages and what leads to them (hypersync.md 13.1). The form is part of a
 * manifest:
 *
 * <pre>
 *   0                8               16
 *   +----------------+---------------+-------------------+---------------------+
 *   | next inode u64 | allocated u64 | trie of the nodes | trie of the orphans |
 *   +----------------+---------------+-------------------+---------------------+
 * </pre>
 */
public final class StatePages {
  private StatePages() {}

  /**
   * What reads the leaves of pages of a kind, for {@code PageCache}.
   *
   * @throws IllegalArgumentException if there is no such kind
   */
  public static LeafReader<? extends Leaf> leaves(int kind) {
    return switch (kind) {
      case PageKind.NODES -> (in, pages) -> Node.readPage(in, pages, null);
      case PageKind.ENTRIES -> (in, _) -> DirEntry.readPage(in);
      case PageKind.EXTENTS -> (in, _) -> Extent.readPage(in);
      case PageKind.XATTRS -> (in, _) -> Xattr.readPage(in);
      case PageKind.ORPHANS -> (in, _) -> Orphan.readPage(in);
      default -> throw new IllegalArgumentException("there are no pages of kind " + kind);
    };
  }

  /**
   * What walks over the leaves of pages of a kind.
   *
   * @throws IllegalArgumentException if there is no such kind
   */
  public static LeafWalker walker(int kind) {
    return switch (kind) {
      case PageKind.NODES -> Node::walkPage;
      case PageKind.ENTRIES -> DirEntry::walkPage;
      case PageKind.EXTENTS -> Extent::walkPage;
      case PageKind.XATTRS -> Xattr::walkPage;
      case PageKind.ORPHANS -> (in, _) -> Orphan.readPage(in);
      default -> throw new IllegalArgumentException("there are no pages of kind " + kind);
    };
  }

  /** Appends a state, and writes its pages. */
  public static void write(FsState state, CanonicalWriter out, PageWriter pages) {
    out.u64(state.nextInode()).u64(state.allocated());
    pages.trie(out, state.nodes(), PageKind.NODES);
    pages.trie(out, state.orphans(), PageKind.ORPHANS);
  }

  /**
   * Reads a state, and its pages.
   *
   * @param version how the state was hashed when it was written
   * @param weight what it weighs ({@link StateWeight}), in bytes
   * @param like a state of the same version that may have much in common with it, or null; {@link
   *     PageReader#sharing} takes from it what is equal
   * @throws DecodeException if the bytes, or those of a page, are not such a form
   * @throws PageMissingException if a page is not there, or is damaged
   */
  public static FsState read(
      RootVersion version,
      long weight,
      CanonicalReader in,
      PageReader pages,
      @Nullable FsState like)
      throws DecodeException, PageMissingException {
    long nextInode = in.u64();
    long allocated = in.size();
    MerkleTrie<Node> nodes =
        pages.trie(
            in,
            PageKind.NODES,
            (node, reader) -> Node.readPage(node, reader, like),
            like == null ? MerkleTrie.empty() : like.nodes());
    MerkleTrie<Orphan> orphans =
        pages.trie(
            in,
            PageKind.ORPHANS,
            (orphan, _) -> Orphan.readPage(orphan),
            like == null ? MerkleTrie.empty() : like.orphans());
    return new FsState(version, nodes, orphans, nextInode, allocated, weight);
  }

  /**
   * How large a state is.
   *
   * @param nodes files, directories and all else, those without a name too
   * @param allocatedBytes that files map to chunks
   */
  public record Size(long nodes, long allocatedBytes) {}

  /**
   * How large a state says that it is, without reading a page.
   *
   * @throws DecodeException if the bytes are not such a form
   */
  public static Size size(CanonicalReader in) throws DecodeException {
    var _ = in.u64(); // next inode
    long allocated = in.size();
    PageWalker walker =
        new PageWalker(
            page -> {
              throw new PageMissingException(page, "is not to be read");
            },
            NoPages.VISITOR);
    return new Size(walker.trie(in, PageKind.NODES, Node::walkPage), allocated);
  }

  /**
   * Begins a walk over the pages of the orphans alone.
   *
   * @throws DecodeException if the bytes are not such a form
   */
  public static void walkOrphans(CanonicalReader in, PageWalker pages) throws DecodeException {
    var _ = size(in);
    var _ = pages.trie(in, PageKind.ORPHANS, (orphan, _) -> Orphan.readPage(orphan));
  }

  /**
   * Begins a walk over a state's pages, and over the chunks of its files and extended attributes.
   *
   * @throws DecodeException if the bytes are not such a form
   */
  public static void walk(CanonicalReader in, PageWalker pages) throws DecodeException {
    var _ = in.u64(); // next inode
    var _ = in.size(); // allocated
    var _ = pages.trie(in, PageKind.NODES, Node::walkPage);
    var _ = pages.trie(in, PageKind.ORPHANS, (orphan, _) -> Orphan.readPage(orphan));
  }

  /** Stays in the manifest. */
  private enum NoPages implements PageVisitor {
    VISITOR;

    @Override
    public boolean page(Hash page) {
      return false;
    }

    @Override
    public void chunk(Hash chunk) {}
  }
}

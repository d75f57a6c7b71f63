package io.hypersync.model.trie;

import io.hypersync.model.codec.CanonicalWriter;
import io.hypersync.model.hash.Hash;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes tries as pages ({@link PageBounds} says where a page begins). A page is a header and a
 * subtree in pre-order; integers are big-endian:
 *
 * <pre>
 *   0           1         2
 *   +-----------+---------+----------------------------------+
 *   | format u8 | kind u8 | the node at which the page begins |
 *   | = 1       |         |                                  |
 *   +-----------+---------+----------------------------------+
 *
 *   leaf        | 1 u8 | the leaf |
 *   inner node  | 2 u8 | bit u16 | left node | right node |
 *   reference   | 3 u8 | bit u16 | bytes u16 | depth u16 | size u32 | subtree's hash 32 B | page's hash 32 B |
 * </pre>
 *
 * <p>A trie inside a leaf is the byte 0 if it is empty, else its top node in the same form: a
 * reference if the trie is larger than {@link PageBounds#INLINE_BYTES}, otherwise the node itself.
 * The kind says which leaves the page has; the state defines the numbers.
 *
 * <p>The page's hash is BLAKE3 of its bytes. The subtree's hash is that of {@link TrieNode#hash}:
 * with it the root of a trie can be computed without reading the page.
 *
 * <p>A writer which marks remembers in each inner node the page that begins there, and does not
 * write such a page again, nor look at what is below. That is right only if the page is still
 * stored when the next snapshot is taken, although pages that no retained snapshot has are deleted.
 * The argument: a mark is in a node of the newest state only while the newest snapshot has the
 * page. {@link #undo} takes away the marks of a snapshot that was not finished. A node that no
 * longer begins a page loses its mark when the snapshot in which that is so is written: its parent
 * is another one then, or has other children, so the writer comes by. A node that is not in the
 * newest snapshot never comes back, because states take their nodes from the state before only.
 *
 * <p>An entry that restores an earlier state ({@code FsOp.RestoreState}) is the exception: its
 * nodes are read anew from pages that the newest snapshot need not have, and are marked. So these
 * pages have to stay stored until a snapshot behind the entry is finished. That one names them, and
 * the argument holds again. No old node comes back: what is read is a new one.
 *
 * <p>Nodes that are read again ({@link PageCache}) are marked by what their page refers to. The
 * newest state has the node at which that page begins, so the newest snapshot has it, too. What
 * begins a page below it depends on what is below it only, so the snapshot has those pages. When
 * the node itself begins none any more it keeps the children that it has then, but somebody may
 * have read others before. These are marked alike, and the same holds for them.
 *
 * <p>Not thread-safe. The tries may be read by other threads meanwhile.
 */
public final class PageWriter {
  /** The version of the format, the first byte of each page. */
  static final int FORMAT = 1;

  private static final int HEADER_BYTES = 2;

  private final RootVersion version;
  private final @Nullable PageSink sink;
  private final @Nullable PageCache cache;
  private final boolean marks;
  private final List<Inner> marked = new ArrayList<>();
  private long pages;
  private long bytes;

  private PageWriter(
      RootVersion version, @Nullable PageSink sink, @Nullable PageCache cache, boolean marks) {
    this.version = version;
    this.sink = sink;
    this.cache = cache;
    this.marks = marks;
  }

  /**
   * A writer that leaves out what the newest snapshot has, as described above. All snapshots of one
   * replica must be written by such writers, one after the other.
   *
   * @param version how the tries are hashed
   * @param cache of the replica: when the snapshot is {@link #finished}, what it has can be dropped
   */
  public static PageWriter incremental(RootVersion version, PageSink sink, PageCache cache) {
    return new PageWriter(cache.version(version), sink, cache, true);
  }

  /** A writer of every page, which leaves no mark in the tries. */
  public static PageWriter complete(RootVersion version, PageSink sink) {
    return new PageWriter(version, sink, null, false);
  }

  /**
   * A writer of a state of the past that was read beside the newest one ({@link
   * PageReader#sharing}). It leaves out the pages that are marked in what the two share, and leaves
   * no mark itself. So it writes about what differs.
   *
   * <p>A mark that it sees was that of the newest snapshot at some moment since the newest state
   * was looked at, and its page was stored then. The caller sees to it that no collection of the
   * store takes its roots from that look until the state that is written here is a root itself.
   *
   * @param version how both are hashed
   */
  public static PageWriter beside(RootVersion version, PageSink sink, PageCache cache) {
    return new PageWriter(cache.version(version), sink, cache, false);
  }

  /**
   * A writer that writes nothing: it counts the pages that {@link #incremental} would write now,
   * about, and what they would take ({@link DirtyMemory}). It leaves no mark in the tries, and
   * reads no page.
   */
  public static PageWriter measuring(RootVersion version) {
    return new PageWriter(version, null, null, false);
  }

  /** The number of bytes that {@link #trie} appends; pages that it writes do not count. */
  public static int trieBytes(MerkleTrie<?> trie) {
    return PageBounds.trieBytes(trie);
  }

  /** Appends a trie that is inside a record, and writes the pages that it has. */
  public void trie(CanonicalWriter out, MerkleTrie<?> trie, int kind) {
    TrieNode top = trie.top();
    if (top == null) {
      out.u8(PageTag.EMPTY);
      return;
    }
    subtree(out, top, true, kind);
  }

  /** The number of pages written so far. */
  public long pages() {
    return pages;
  }

  /** The bytes of the pages written so far. */
  public long bytes() {
    return bytes;
  }

  /** Takes all marks of this writer away: the snapshot will not be finished. */
  public void undo() {
    if (cache != null) {
      marked.forEach(cache::notStored);
    }
    marked.clear();
  }

  /** The snapshot is finished, and all its pages are durable: what they have can be dropped. */
  public void finished() {
    if (cache != null) {
      marked.forEach(cache::stored);
    }
    marked.clear();
  }

  /** A node that is to be written, after those before it. */
  private record Pending(TrieNode node, boolean mayBePage) {}

  /**
   * Appends a subtree, up to the pages below. Not recursive: names can be chosen so that a
   * directory is thousands of nodes deep.
   *
   * @param mayBePage whether a page may begin at the node itself
   */
  private void subtree(CanonicalWriter out, TrieNode top, boolean mayBePage, int kind) {
    ArrayDeque<Pending> rest = new ArrayDeque<>();
    rest.push(new Pending(top, mayBePage));
    while (!rest.isEmpty()) {
      Pending next = rest.pop();
      switch (next.node) {
        case Leaf leaf -> {
          out.u8(PageTag.LEAF);
          leaf.writePage(out, this);
        }
        case Inner inner -> {
          if (sink == null && inner.storedPage() != null) {
            continue;
          }
          if (next.mayBePage && PageBounds.isLarge(inner)) {
            reference(out, inner, kind);
            continue;
          }
          if (cache != null && marks && inner.page() != null) {
            cache.keep(inner);
          }
          boolean cut = PageBounds.isCut(inner);
          out.u8(PageTag.INNER).u16(inner.bit);
          rest.push(new Pending(inner.right(), cut));
          rest.push(new Pending(inner.left(), cut));
        }
      }
    }
  }

  private void reference(CanonicalWriter out, Inner inner, int kind) {
    Hash page = page(inner, kind);
    out.u8(PageTag.REFERENCE)
        .u16(inner.bit)
        .u16(PageBounds.bytes(inner))
        .u16(inner.depth())
        .u32(inner.size())
        .hash(inner.hash(version))
        .hash(page);
  }

  private Hash page(Inner inner, int kind) {
    StoredPage known = marks ? inner.page() : inner.storedPage();
    if (cache != null && known != null) {
      return known.hash();
    }
    CanonicalWriter out = new CanonicalWriter(HEADER_BYTES + PageBounds.bytes(inner));
    out.u8(FORMAT).u8(kind);
    subtree(out, inner, false, kind);
    Hash page = sink == null ? Hash.ZERO : sink.put(out.toBytes());
    pages++;
    bytes += out.length();
    if (cache != null && marks) {
      inner.page(cache.page(inner, page, kind));
      marked.add(inner);
    }
    return page;
  }
}

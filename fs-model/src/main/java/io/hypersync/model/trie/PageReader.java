package io.hypersync.model.trie;

import io.hypersync.model.codec.CanonicalReader;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.hash.Hash;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Reads tries that {@link PageWriter} wrote. Everything that a reference says of a page is checked
 * against the page, the hash of the subtree among that. Not thread-safe.
 */
public final class PageReader {
  private static final int MAX_BIT = TrieKey.MAX_LENGTH * TrieKey.BITS_PER_BYTE;

  private enum Mode {
    LAZY,
    VERIFYING,
    VERIFYING_AND_MARKING,
    SHARING
  }

  private final RootVersion version;
  private final PageSource source;
  private final Mode mode;
  private final @Nullable PageCache cache;

  private PageReader(RootVersion version, PageSource source, Mode mode, @Nullable PageCache cache) {
    this.version = version;
    this.source = source;
    this.mode = mode;
    this.cache = cache;
  }

  /** Reads what is in a record or one page, and marks the rest: for {@link PageCache}. */
  static PageReader lazy(RootVersion version, PageSource source, PageCache cache) {
    return new PageReader(version, source, Mode.LAZY, cache);
  }

  /** A reader of any snapshot. It computes every hash, and leaves no mark. */
  public static PageReader verifying(RootVersion version, PageSource source) {
    return new PageReader(version, source, Mode.VERIFYING, null);
  }

  /**
   * A reader of a snapshot of another replica, from which this one goes on. It computes every hash,
   * and marks what it reads for {@link PageWriter#incremental}.
   *
   * @param cache of the replica
   */
  public static PageReader verifyingAndMarking(
      RootVersion version, PageSource source, PageCache cache) {
    return new PageReader(cache.version(version), source, Mode.VERIFYING_AND_MARKING, cache);
  }

  /**
   * A reader of any snapshot that takes from another trie what is equal there, instead of reading
   * it. So it reads, and adds to the heap, about what differs between the two. It computes every
   * hash of what it reads, and leaves no mark. It takes a subtree only for its hash.
   *
   * <p>The result is for looking at: {@link PageWriter#incremental} must not be given what descends
   * from it, because marks that were taken away there could come back.
   *
   * @param version how both are hashed
   */
  public static PageReader sharing(RootVersion version, PageSource source) {
    return new PageReader(version, source, Mode.SHARING, null);
  }

  /**
   * Reads a trie that is inside a record, and its pages.
   *
   * @param kind the kind that its pages must have
   * @throws DecodeException if the bytes are none, or a page is not what a reference says
   * @throws PageMissingException if a page is not there, or is damaged
   */
  public <L extends Leaf> MerkleTrie<L> trie(CanonicalReader in, int kind, LeafReader<L> leaves)
      throws DecodeException, PageMissingException {
    return trie(in, kind, leaves, MerkleTrie.empty());
  }

  /**
   * Reads a trie that is inside a record, and its pages.
   *
   * @param like a trie that may have much in common with it; only a {@link #sharing} reader looks
   *     at it
   * @throws DecodeException as above
   * @throws PageMissingException as above
   */
  public <L extends Leaf> MerkleTrie<L> trie(
      CanonicalReader in, int kind, LeafReader<L> leaves, MerkleTrie<L> like)
      throws DecodeException, PageMissingException {
    int tag = in.u8();
    if (tag == PageTag.EMPTY) {
      return MerkleTrie.empty();
    }
    return MerkleTrie.of(
        mode == Mode.SHARING
            ? new SharedSubtrees(this, version, kind, leaves).read(in, tag, like.top())
            : node(in, tag, -1, kind, leaves));
  }

  /**
   * What is made of the nodes in a page.
   *
   * @param <T> the form that a node gets
   */
  interface Form<T> {
    /** Reads what ends a path within the page: a leaf or a reference. */
    T end(CanonicalReader in, int tag, int above) throws DecodeException, PageMissingException;

    /** An inner node. */
    T inner(int bit, T left, T right);
  }

  /** An inner node of which not everything has been read yet. */
  private static final class Open<T> {
    final int bit;
    @Nullable T left;

    Open(int bit) {
      this.bit = bit;
    }
  }

  /**
   * Reads a node and what is below it in the same page. Not recursive: names can be chosen so that
   * a directory is thousands of nodes deep.
   *
   * @param above the bit of the node above, or -1: bits grow on the way down
   */
  static <T> T read(CanonicalReader in, int firstTag, int above, Form<T> form)
      throws DecodeException, PageMissingException {
    ArrayDeque<Open<T>> open = new ArrayDeque<>();
    int lowest = above;
    int tag = firstTag;
    while (true) {
      if (tag == PageTag.INNER) {
        lowest = bit(in, lowest);
        open.push(new Open<>(lowest));
      } else {
        T node = form.end(in, tag, lowest);
        Open<T> parent = open.peek();
        while (parent != null && parent.left != null) {
          node = form.inner(parent.bit, parent.left, node);
          open.pop();
          parent = open.peek();
        }
        if (parent == null) {
          return node;
        }
        parent.left = node;
        lowest = parent.bit;
      }
      tag = in.u8();
    }
  }

  private TrieNode node(
      CanonicalReader in, int firstTag, int above, int kind, LeafReader<? extends Leaf> leaves)
      throws DecodeException, PageMissingException {
    return read(
        in,
        firstTag,
        above,
        new Form<TrieNode>() {
          @Override
          public TrieNode end(CanonicalReader in, int tag, int above)
              throws DecodeException, PageMissingException {
            return PageReader.this.end(in, tag, above, kind, leaves);
          }

          @Override
          public TrieNode inner(int bit, TrieNode left, TrieNode right) {
            return new Inner(bit, left, right);
          }
        });
  }

  static int bit(CanonicalReader in, int above) throws DecodeException {
    int bit = in.u16();
    if (bit <= above || bit >= MAX_BIT) {
      throw new DecodeException("a node of a trie has bit " + bit + " below bit " + above);
    }
    return bit;
  }

  /** Reads what ends a path within a page: a leaf or a reference. */
  private TrieNode end(
      CanonicalReader in, int tag, int above, int kind, LeafReader<? extends Leaf> leaves)
      throws DecodeException, PageMissingException {
    return switch (tag) {
      case PageTag.LEAF -> leaves.read(in, this);
      case PageTag.REFERENCE -> reference(in, above, kind, leaves);
      default -> throw new DecodeException("a node of a trie has the unknown tag " + tag);
    };
  }

  private Inner reference(
      CanonicalReader in, int above, int kind, LeafReader<? extends Leaf> leaves)
      throws DecodeException, PageMissingException {
    int bit = bit(in, above);
    int bytes = in.u16();
    int depth = in.u16();
    int size = in.u32();
    Hash subtree = in.hash();
    Hash page = in.hash();
    if (mode == Mode.LAZY && cache != null) {
      if (size < 2 || depth < 2 || bytes <= PageBounds.INLINE_BYTES) {
        throw new DecodeException("page " + page + " is said to have " + size + " leaves");
      }
      Inner absent = Inner.withoutChildren(bit, size, depth, bytes, version, subtree);
      cache.referred(absent, page, kind);
      return absent;
    }
    Inner inner = page(page, above, kind, leaves);
    if (inner.bit != bit
        || inner.depth() != depth
        || inner.size() != size
        || PageBounds.bytes(inner) != bytes) {
      throw new DecodeException("page " + page + " is not what the reference to it says");
    }
    if (!inner.hash(version).equals(subtree)) {
      throw new DecodeException(
          "the subtree in page " + page + " has another hash than " + subtree);
    }
    if (cache != null) {
      inner.page(cache.page(inner, page, kind));
      cache.stored(inner);
    }
    return inner;
  }

  /**
   * Reads what is in a page.
   *
   * @param above the bit of the node above, or -1
   */
  Inner page(Hash page, int above, int kind, LeafReader<? extends Leaf> leaves)
      throws DecodeException, PageMissingException {
    CanonicalReader in = open(page, kind);
    if (!(node(in, in.u8(), above, kind, leaves) instanceof Inner inner)) {
      throw new DecodeException("page " + page + " does not begin with an inner node");
    }
    in.finish();
    return inner;
  }

  /** The bytes of a page behind its header, which is checked. */
  CanonicalReader open(Hash page, int kind) throws DecodeException, PageMissingException {
    CanonicalReader in = new CanonicalReader(source.get(page));
    int format = in.u8();
    if (format != PageWriter.FORMAT) {
      throw new DecodeException("page " + page + " has the unknown format " + format);
    }
    if (in.u8() != kind) {
      throw new DecodeException("page " + page + " is not of kind " + kind);
    }
    return in;
  }
}

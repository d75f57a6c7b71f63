package io.hypersync.model.trie;

import io.hypersync.model.codec.CanonicalReader;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.hash.Hash;
import org.jspecify.annotations.Nullable;

/**
 * Reads one trie of a snapshot beside another trie in memory, and takes from that what is equal
 * ({@link PageReader#sharing}).
 *
 * <p>Both are walked together, so that each reference is compared with the one subtree of the other
 * trie that can have the same leaves. A subtree is taken if it has the hash that the reference
 * says. Where nothing is taken, a page is read: the walk can only cost more by a mistake, and never
 * give another trie, because the hash of what was read is computed and compared, too.
 *
 * <p>Recursive, from one inner node to those below it: at most one level for each bit of a key.
 */
final class SharedSubtrees {
  private final PageReader reader;
  private final RootVersion version;
  private final int kind;
  private final LeafReader<? extends Leaf> leaves;
  private final Parts parts = new Parts();

  /**
   * A reader of one trie.
   *
   * @param reader of the pages
   * @param kind the kind that the pages must have
   */
  SharedSubtrees(
      PageReader reader, RootVersion version, int kind, LeafReader<? extends Leaf> leaves) {
    this.reader = reader;
    this.version = version;
    this.kind = kind;
    this.leaves = leaves;
  }

  /** A node as a page has it: what is in other pages is not read yet. */
  private sealed interface Part {}

  private record LeafPart(Leaf leaf) implements Part {}

  private record InnerPart(int bit, Part left, Part right) implements Part {}

  private static final class ReferencePart implements Part {
    final int above;
    final int bit;
    final int bytes;
    final int depth;
    final int size;
    final Hash subtree;
    final Hash page;

    /** What the page has, once it was read. */
    @Nullable InnerPart content;

    ReferencePart(CanonicalReader in, int above) throws DecodeException {
      this.above = above;
      this.bit = PageReader.bit(in, above);
      this.bytes = in.u16();
      this.depth = in.u16();
      this.size = in.u32();
      this.subtree = in.hash();
      this.page = in.hash();
    }
  }

  /**
   * Reads the trie.
   *
   * @param tag the first byte, which was read already
   * @param like the top of the other trie; null if that is empty
   */
  TrieNode read(CanonicalReader in, int tag, @Nullable TrieNode like)
      throws DecodeException, PageMissingException {
    return node(part(in, tag, -1), like);
  }

  private Part part(CanonicalReader in, int firstTag, int above)
      throws DecodeException, PageMissingException {
    return PageReader.read(in, firstTag, above, parts);
  }

  /** Parts in place of nodes. */
  private final class Parts implements PageReader.Form<Part> {
    @Override
    public Part end(CanonicalReader in, int tag, int above)
        throws DecodeException, PageMissingException {
      return switch (tag) {
        case PageTag.LEAF -> new LeafPart(leaves.read(in, reader));
        case PageTag.REFERENCE -> new ReferencePart(in, above);
        default -> throw new DecodeException("a node of a trie has the unknown tag " + tag);
      };
    }

    @Override
    public Part inner(int bit, Part left, Part right) {
      return new InnerPart(bit, left, right);
    }
  }

  private InnerPart content(ReferencePart reference) throws DecodeException, PageMissingException {
    InnerPart known = reference.content;
    if (known != null) {
      return known;
    }
    CanonicalReader in = reader.open(reference.page, kind);
    if (!(part(in, in.u8(), reference.above) instanceof InnerPart content)) {
      throw new DecodeException("page " + reference.page + " does not begin with an inner node");
    }
    in.finish();
    reference.content = content;
    return content;
  }

  /**
   * The node of a part.
   *
   * @param like the part of the other trie that has all leaves of it with the same keys, and maybe
   *     more; null if there is none
   */
  private TrieNode node(Part part, @Nullable TrieNode like)
      throws DecodeException, PageMissingException {
    return switch (part) {
      case LeafPart(Leaf leaf) -> leaf;
      case InnerPart inner -> inner(inner, aligned(inner.bit, inner, like));
      case ReferencePart reference -> {
        TrieNode candidate = aligned(reference.bit, reference, like);
        if (candidate instanceof Inner same
            && same.bit == reference.bit
            && same.size() == reference.size
            && same.hash(version).equals(reference.subtree)) {
          yield same;
        }
        InnerPart content = content(reference);
        reference.content = null; // not kept longer than needed: pages may be many
        Inner read = inner(content, candidate);
        if (read.bit != reference.bit
            || read.depth() != reference.depth
            || read.size() != reference.size
            || PageBounds.bytes(read) != reference.bytes
            || !read.hash(version).equals(reference.subtree)) {
          throw new DecodeException(
              "page " + reference.page + " is not what the reference to it says");
        }
        yield read;
      }
    };
  }

  private Inner inner(InnerPart inner, @Nullable TrieNode like)
      throws DecodeException, PageMissingException {
    return new Inner(
        inner.bit,
        node(inner.left, side(inner.bit, 0, like)),
        node(inner.right, side(inner.bit, 1, like)));
  }

  /**
   * The part of the other trie that has the keys with this value of a bit, if it can be told
   * without a key: {@code like} is aligned with that bit.
   */
  private static @Nullable TrieNode side(int bit, int side, @Nullable TrieNode like) {
    if (like instanceof Inner inner && inner.bit == bit) {
      return inner.child(side);
    }
    return like != null && TrieKey.bitOf(firstKey(like), bit) == side ? like : null;
  }

  /**
   * The node of the other trie, at this bit or behind it, that has the keys of the part. All keys
   * of a part are equal in the bits before its own, so one of them shows the way.
   */
  private @Nullable TrieNode aligned(int bit, Part part, @Nullable TrieNode like)
      throws DecodeException, PageMissingException {
    TrieNode node = like;
    @Nullable TrieKey key = null;
    while (node instanceof Inner inner && inner.bit < bit) {
      if (key == null) {
        key = firstKey(part);
      }
      node = inner.child(TrieKey.bitOf(key, inner.bit));
    }
    return node;
  }

  private TrieKey firstKey(Part top) throws DecodeException, PageMissingException {
    Part part = top;
    while (true) {
      switch (part) {
        case LeafPart(Leaf leaf) -> {
          return leaf.key();
        }
        case InnerPart inner -> part = inner.left;
        case ReferencePart reference -> part = content(reference);
      }
    }
  }

  private static TrieKey firstKey(TrieNode top) {
    TrieNode node = top;
    while (node instanceof Inner inner) {
      node = inner.left();
    }
    return ((Leaf) node).key();
  }
}

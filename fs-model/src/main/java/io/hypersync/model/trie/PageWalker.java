package io.hypersync.model.trie;

import io.hypersync.model.codec.CanonicalReader;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.hash.Hash;
import java.util.ArrayDeque;
import java.util.Arrays;

/**
 * Visits all pages and chunks that tries of {@link PageWriter} lead to, page by page and without
 * making their leaves. A collection learns so what is alive (hypersync.md 14.2). Pages that the
 * visitor knows are not read again, so a walk of one manifest after another costs what they do not
 * share.
 *
 * <p>It is never silently short. Whatever is missing, damaged or not understood ends the walk with
 * an exception, and so does a page with another number of leaves than the reference to it says.
 * What was visited before that is not all there is. Who wants what lies beside such a page calls
 * {@link #skip}, and knows what is left out.
 *
 * <p>It holds the references that it has seen and not followed: those of the pages on one path. Not
 * thread-safe.
 */
public final class PageWalker {
  /** It is not known how many leaves there are. */
  private static final long ANY_NUMBER = -1;

  private final PageSource source;
  private final PageVisitor visitor;
  private final ArrayDeque<Pending> pending = new ArrayDeque<>();

  /**
   * A page that is to be read.
   *
   * @param above the bit of the node above, or -1
   * @param leaves how many leaves there are in it and below
   */
  private record Pending(Hash page, int above, long leaves, int kind, LeafWalker leaf) {}

  /** A page that was left out, for {@link #resume}. */
  public static final class Skipped {
    private final Pending pending;

    private Skipped(Pending pending) {
      this.pending = pending;
    }

    /** Its hash. */
    public Hash page() {
      return pending.page;
    }
  }

  /**
   * A walk that has nothing to do yet.
   *
   * @param source verifies the hash of what it returns
   */
  public PageWalker(PageSource source, PageVisitor visitor) {
    this.source = source;
    this.visitor = visitor;
  }

  /**
   * Walks over a trie that is inside a record, up to its pages; {@link #step} reads those.
   *
   * @param kind the kind that its pages must have
   * @return how many leaves it has, as far as it says without its pages
   * @throws DecodeException if the bytes are none
   */
  public long trie(CanonicalReader in, int kind, LeafWalker leaf) throws DecodeException {
    int tag = in.u8();
    return tag == PageTag.EMPTY ? 0 : subtree(in, tag, -1, kind, leaf);
  }

  /**
   * Walks over a page, and what it leads to; {@link #step} reads them.
   *
   * @param kind the kind that it must have
   */
  public void page(Hash page, int kind, LeafWalker leaf) {
    if (visitor.page(page)) {
      pending.push(new Pending(page, -1, ANY_NUMBER, kind, leaf));
    }
  }

  /** Tells the visitor of a chunk, for {@link LeafWalker}s. */
  public void chunk(Hash chunk) {
    visitor.chunk(chunk);
  }

  /** Whether all pages that it was told of, and came to, are read. */
  public boolean isDone() {
    return pending.isEmpty();
  }

  /**
   * Reads the next page.
   *
   * @return false if there was none left
   * @throws DecodeException if it is not what a reference says
   * @throws PageMissingException if it is not there, or is damaged; the next call tries it again,
   *     so a walk can wait for its pages
   */
  public boolean step() throws DecodeException, PageMissingException {
    if (pending.isEmpty()) {
      return false;
    }
    Pending next = pending.getFirst();
    byte[] page = source.get(next.page);
    pending.removeFirst(); // not before: a page that is missing now may be there at the next call
    CanonicalReader in = new CanonicalReader(page);
    int format = in.u8();
    if (format != PageWriter.FORMAT) {
      throw new DecodeException("page " + next.page + " has the unknown format " + format);
    }
    int kind = in.u8();
    int tag = in.u8();
    if (kind != next.kind || tag != PageTag.INNER) {
      throw new DecodeException("page " + next.page + " is not of kind " + next.kind);
    }
    long leaves = subtree(in, tag, next.above, next.kind, next.leaf);
    in.finish();
    if (leaves != next.leaves && next.leaves != ANY_NUMBER) {
      throw new DecodeException(
          "page " + next.page + " leads to " + leaves + " leaves, not " + next.leaves);
    }
    return true;
  }

  /**
   * Leaves out the page that the next {@link #step} would read, and all that only it leads to.
   *
   * @throws IllegalStateException if there is none
   */
  public Skipped skip() {
    Pending next = pending.pollFirst();
    if (next == null) {
      throw new IllegalStateException("no page is to be read");
    }
    return new Skipped(next);
  }

  /** Reads a page that was left out after all: with the next {@link #step}. */
  public void resume(Skipped skipped) {
    pending.push(skipped.pending);
  }

  /**
   * Walks over a node and what is below it in the same page. Not recursive, as in {@link
   * PageReader}.
   *
   * @return the number of leaves, by the references for those in other pages
   */
  private long subtree(CanonicalReader in, int firstTag, int firstAbove, int kind, LeafWalker leaf)
      throws DecodeException {
    int[] rights = new int[16]; // for each right child that is to come, the bit above it
    int open = 0;
    long leaves = 0;
    int above = firstAbove;
    int tag = firstTag;
    while (true) {
      if (tag == PageTag.INNER) {
        above = PageReader.bit(in, above);
        if (open == rights.length) {
          rights = Arrays.copyOf(rights, 2 * open);
        }
        rights[open++] = above;
      } else {
        leaves += end(in, tag, above, kind, leaf);
        if (open == 0) {
          return leaves;
        }
        above = rights[--open];
      }
      tag = in.u8();
    }
  }

  /** Walks over what ends a path within a page; returns its number of leaves. */
  private long end(CanonicalReader in, int tag, int above, int kind, LeafWalker leaf)
      throws DecodeException {
    return switch (tag) {
      case PageTag.LEAF -> {
        leaf.walk(in, this);
        yield 1;
      }
      case PageTag.REFERENCE -> {
        var _ = PageReader.bit(in, above);
        var _ = in.u16(); // bytes
        var _ = in.u16(); // depth
        int size = in.u32();
        var _ = in.hash(); // of the subtree
        Hash page = in.hash();
        if (size < 2) {
          throw new DecodeException("page " + page + " is said to have " + size + " leaves");
        }
        if (visitor.page(page)) {
          pending.push(new Pending(page, above, size, kind, leaf));
        }
        yield size;
      }
      default -> throw new DecodeException("a node of a trie has the unknown tag " + tag);
    };
  }
}

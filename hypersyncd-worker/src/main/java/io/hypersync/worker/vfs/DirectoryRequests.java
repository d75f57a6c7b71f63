package io.hypersync.worker.vfs;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.InodeNo;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.NodeType;
import io.hypersync.model.state.DirEntry;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import io.hypersync.model.state.NodeContent;
import io.hypersync.model.trie.PageUnreadableException;
import io.hypersync.worker.coherence.View;
import io.hypersync.worker.fuse.protocol.DirectoryBuffer;
import io.hypersync.worker.fuse.protocol.FileHandle;
import io.hypersync.worker.fuse.protocol.FuseEntry;
import io.hypersync.worker.fuse.protocol.FuseOperation;
import io.hypersync.worker.fuse.protocol.RequestHeader;
import io.hypersync.worker.fuse.session.FuseReply;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Answers opendir and readdir. Rows come in bytewise order of names, the same on every worker
 * (hypersync.md 5.2.1).
 */
final class DirectoryRequests {
  private static final byte[] SELF = ".".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] PARENT = "..".getBytes(StandardCharsets.US_ASCII);
  private static final int SELF_COOKIE = 1;
  private static final int PARENT_COOKIE = 2;

  /** How many rows are looked at when one needs a page that is not here. */
  private static final int MOST_ROWS_AHEAD = 1_024;

  /** How many pages are fetched at once for a listing: about 1 MiB. */
  private static final int MOST_PAGES_AHEAD = 128;

  private final Nodes nodes;
  private final OpenHandles handles;

  private final Consumer<InodeNo> dropListing;

  DirectoryRequests(Nodes nodes, OpenHandles handles, Consumer<InodeNo> dropListing) {
    this.nodes = nodes;
    this.handles = handles;
    this.dropListing = dropListing;
  }

  void open(RequestHeader header, FuseReply reply) throws RequestFailed {
    Node node = nodes.node(nodes.state(), header.nodeId());
    if (node.type() != NodeType.DIRECTORY) {
      throw new RequestFailed(Errno.ENOTDIR);
    }
    Nodes.Listing kept = nodes.openListing(header.nodeId());
    reply.open(
        handles.open(header.unique(), new OpenDirectory(node.id(), kept.copy()), false),
        nodes.policy().listingFlags(kept.use()));
  }

  void read(RequestHeader header, FuseOperation.ReadDir request, FuseReply reply)
      throws RequestFailed {
    Listing listing = listing(request.fh(), request.offset());
    DirectoryBuffer.Plain rows = new DirectoryBuffer.Plain(request.size());
    fill(
        listing,
        request.offset(),
        rows,
        rows::add,
        (entry, cookie) -> {
          Node node = listing.view.state().node(entry.node());
          return node == null
              || rows.add(node.inode(), cookie, direntType(entry.type()), entry.name().bytes());
        });
    answer(header, listing, rows, reply);
  }

  void readPlus(RequestHeader header, FuseOperation.ReadDirPlus request, FuseReply reply)
      throws RequestFailed {
    Listing listing = listing(request.fh(), request.offset());
    DirectoryBuffer.Plus rows = new DirectoryBuffer.Plus(request.size());
    fill(
        listing,
        request.offset(),
        rows,
        rows::addNameOnly,
        (entry, cookie) -> {
          FsState state = listing.view.state();
          Node node = state.node(entry.node());
          if (node == null) {
            return true; // reaped since the listing was pinned
          }
          byte[] name = entry.name().bytes();
          Node now = state.lookup(listing.directory, entry.name());
          if (now == null || !now.id().equals(node.id())) {
            // The pinned listing has this name, but it no longer leads to that node.
            return rows.addNameOnly(node.inode(), cookie, direntType(entry.type()), name);
          }
          if (!rows.fits(name)) {
            return false;
          }
          FuseEntry row = nodes.found(listing.view, header.nodeId(), entry.name(), node);
          return rows.add(row, cookie, name);
        });
    answer(header, listing, rows, reply);
  }

  /**
   * Sends the rows. A reply without rows means that the handle has read everything; by then the
   * kernel has stored all earlier rows in its cached listing, which is dropped before that reply if
   * the directory has changed.
   */
  private void answer(
      RequestHeader header, Listing listing, DirectoryBuffer rows, FuseReply reply) {
    CachedListing copy = listing.copy;
    if (copy != null && !rows.isEmpty()) {
      copy.filling();
    } else if (copy != null && copy.completed()) {
      dropListing.accept(header.nodeId());
    }
    reply.directory(rows);
  }

  private record Listing(
      View view, Node directory, List<DirEntry> rows, @Nullable CachedListing copy) {}

  @FunctionalInterface
  private interface DotRow {
    boolean add(InodeNo inode, long cookie, int type, byte[] name);
  }

  @FunctionalInterface
  private interface EntryRow {
    boolean add(DirEntry entry, long cookie);
  }

  private Listing listing(FileHandle fh, long offset) throws RequestFailed {
    if (!(handles.get(fh) instanceof OpenDirectory open)) {
      throw new RequestFailed(Errno.EBADF);
    }
    View view = nodes.view();
    FsState state = view.state();
    Node directory = state.node(open.node());
    if (directory == null) {
      throw new RequestFailed(Errno.ESTALE);
    }
    return new Listing(view, directory, open.rows(state, offset == 0), open.used());
  }

  /**
   * Adds rows until there is no room. If a row needs a page that has to be fetched first, those
   * before it are the answer, and are not made twice: the kernel counts them as lookups.
   */
  private static void fill(
      Listing listing, long offset, DirectoryBuffer rows, DotRow dots, EntryRow entries) {
    try {
      fill(listing, offset, dots, entries);
    } catch (PageUnreadableException e) {
      if (rows.isEmpty()) {
        throw new PagesUnreadable(ahead(listing, offset, e), e);
      }
    }
  }

  /**
   * The pages that the rows from here on need and that cannot be read, so that they are fetched
   * together: each row may be in a page of its own.
   *
   * @param first what the first of these rows, or the directory, needs
   */
  private static List<Hash> ahead(Listing listing, long offset, PageUnreadableException first) {
    Set<Hash> pages = new LinkedHashSet<>();
    pages.add(first.page());
    int from = Math.clamp(offset - PARENT_COOKIE, 0, listing.rows.size());
    int to = Math.min(listing.rows.size(), from + MOST_ROWS_AHEAD);
    for (DirEntry entry : listing.rows.subList(from, to)) {
      if (pages.size() == MOST_PAGES_AHEAD) {
        break;
      }
      try {
        var _ = listing.view.state().node(entry.node());
      } catch (PageUnreadableException e) {
        pages.add(e.page());
      }
    }
    return List.copyOf(pages);
  }

  private static void fill(Listing listing, long offset, DotRow dots, EntryRow entries) {
    int directoryType = direntType(NodeType.DIRECTORY);
    if (offset < SELF_COOKIE
        && !dots.add(listing.directory.inode(), SELF_COOKIE, directoryType, SELF)) {
      return;
    }
    if (offset < PARENT_COOKIE
        && !dots.add(parentInode(listing), PARENT_COOKIE, directoryType, PARENT)) {
      return;
    }
    long first = Math.max(0, offset - PARENT_COOKIE);
    for (long i = first; i < listing.rows.size(); i++) {
      if (!entries.add(listing.rows.get((int) i), i + 1 + PARENT_COOKIE)) {
        return;
      }
    }
  }

  private static InodeNo parentInode(Listing listing) {
    if (listing.directory.content() instanceof NodeContent.Directory(NodeId parentId, _)) {
      Node parent = listing.view.state().node(parentId);
      if (parent != null) {
        return parent.inode();
      }
    }
    return listing.directory.inode();
  }

  private static int direntType(NodeType type) {
    return type.modeBits() >>> 12;
  }
}

package io.hypersync.worker.daemon.local;

import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.state.FileContent;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import io.hypersync.model.trie.PageUnreadableException;
import io.hypersync.worker.local.IgnoreFile;
import io.hypersync.worker.local.IgnoreRules;
import io.hypersync.worker.vfs.Mutations;
import io.hypersync.worker.vfs.OwnReads;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What {@code hypersync.ignore} in the root of the visible state says. It is read when it is needed
 * after it may have changed, so a process that has written it finds it in effect when its call
 * returns: entries are told here before their callers are answered. Thread-safe.
 */
final class IgnoreWatch {
  private static final int MAX_FETCHES = 100;

  /** Pause before it is asked for again when nobody could send it, as without a leader. */
  private static final long AGAIN_S = 2;

  private static final Logger LOG = LoggerFactory.getLogger(IgnoreWatch.class);

  private final ReplicatedNames names;
  private final OwnReads reads;
  private final Mutations leader;
  private final Runnable listener;

  /** Null if the file may have changed since it was read. */
  private volatile @Nullable Loaded current;

  /** Counts what may have changed the file, so that a change while it is read is not missed. */
  private final AtomicLong changes = new AtomicLong();

  /** The file that was read last; what changes another one is of no interest. */
  private volatile @Nullable NodeId file;

  /** What was in effect last; guarded by this. */
  private Loaded last = Loaded.NONE;

  /** How often in a row something was fetched; guarded by this. */
  private int fetches;

  /**
   * What is in effect.
   *
   * @param parsed what the file says
   * @param problem why another file is in effect than the newest, or none; empty if there is no
   *     problem
   */
  record Loaded(IgnoreFile parsed, String problem) {
    static final Loaded NONE = new Loaded(IgnoreFile.NONE, "");

    IgnoreRules rules() {
      return parsed.rules();
    }
  }

  /**
   * Has read nothing yet.
   *
   * @param listener run when other patterns are in effect; must not block
   */
  IgnoreWatch(ReplicatedNames names, OwnReads reads, Mutations leader, Runnable listener) {
    this.names = names;
    this.reads = reads;
    this.leader = leader;
    this.listener = listener;
  }

  /** What is in effect; costs one read of a field if nothing has changed. */
  Loaded now() {
    Loaded known = current;
    return known == null ? load() : known;
  }

  /** An entry has become visible; on the agent's thread. */
  void applied(LogEntry entry) {
    if (mayChange(entry.op())) {
      stale();
    }
  }

  /** The file may be another one now. */
  void stale() {
    changes.incrementAndGet(); // before: see load
    current = null;
  }

  private void again() {
    synchronized (this) {
      fetches = 0;
    }
    stale();
  }

  private boolean mayChange(FsOp op) {
    return switch (op) {
      case FsOp.Write write -> isFile(write.node());
      case FsOp.Truncate cut -> isFile(cut.node());
      case FsOp.Allocate range -> isFile(range.node());
      case FsOp.CopyRange copy -> isFile(copy.target());
      case FsOp.CreateFile make -> isName(make.parent(), make.name());
      case FsOp.MakeDir make -> isName(make.parent(), make.name());
      case FsOp.MakeSymlink make -> isName(make.parent(), make.name());
      case FsOp.MakeNode make -> isName(make.parent(), make.name());
      case FsOp.Link link -> isName(link.newParent(), link.newName());
      case FsOp.LinkTemporary link -> isName(link.newParent(), link.newName());
      case FsOp.Unlink unlink -> isName(unlink.parent(), unlink.name());
      case FsOp.RemoveDir remove -> isName(remove.parent(), remove.name());
      case FsOp.Rename move ->
          isName(move.parent(), move.name()) || isName(move.newParent(), move.newName());
      case FsOp.RestoreState _ -> true;
      case FsOp.SetAttributes _,
          FsOp.SetXattr _,
          FsOp.RemoveXattr _,
          FsOp.MakeTemporary _,
          FsOp.ReapOrphans _ ->
          false;
    };
  }

  private boolean isFile(NodeId node) {
    return node.equals(file);
  }

  private static boolean isName(NodeId parent, Name name) {
    return parent.equals(FsState.ROOT) && name.equals(IgnoreRules.FILE);
  }

  private synchronized Loaded load() {
    while (true) {
      Loaded known = current;
      if (known != null) {
        return known;
      }
      long before = changes.get();
      Loaded read = read();
      if (!read.equals(last)) {
        last = read;
        listener.run();
      }
      current = read;
      // Whatever became visible after it was read is counted before it clears what is set here, so
      // either it is seen now, or it clears this afterwards.
      if (changes.get() != before) {
        current = null;
      }
    }
  }

  private Loaded read() {
    try {
      NodeId found = idOf(node(names.state()));
      while (true) {
        file = found;
        // The state is taken only now: of a change after it, applied knows that it is of this file.
        Node node = node(names.state());
        NodeId again = idOf(node);
        if (Objects.equals(again, found)) {
          Loaded loaded = parsed(node);
          fetches = 0;
          return loaded;
        }
        found = again;
      }
    } catch (OwnReads.Missing e) {
      return fetch(e.chunks());
    } catch (PageUnreadableException e) {
      return fetch(List.of(new ChunkRef(e.page(), ChunkRef.MAX_LENGTH)));
    }
  }

  private static @Nullable Node node(FsState state) {
    Node root = state.node(FsState.ROOT);
    return root == null ? null : state.lookup(root, IgnoreRules.FILE);
  }

  private static @Nullable NodeId idOf(@Nullable Node node) {
    return node == null ? null : node.id();
  }

  private Loaded parsed(@Nullable Node node) throws OwnReads.Missing {
    if (node == null) {
      return Loaded.NONE;
    }
    if (!(node.content() instanceof FileContent content)) {
      return new Loaded(IgnoreFile.NONE, "it is no regular file");
    }
    byte[] bytes = reads.beginning(content, node, IgnoreFile.MAX_BYTES);
    return new Loaded(IgnoreFile.parse(bytes, node.attributes().size()), "");
  }

  /** Goes on with what was in effect until the newest file is here. */
  private Loaded fetch(List<ChunkRef> chunks) {
    fetches++;
    if (fetches > MAX_FETCHES) {
      return new Loaded(last.parsed(), "its bytes cannot be read here");
    }
    leader.fetchAgain(
        chunks,
        this::stale,
        errno -> {
          LOG.warn(
              "hypersync.ignore cannot be read here: {}; it is tried again in {} s",
              errno.message(),
              AGAIN_S);
          CompletableFuture.delayedExecutor(AGAIN_S, TimeUnit.SECONDS).execute(this::again);
        });
    return new Loaded(last.parsed(), "its bytes are being fetched");
  }
}

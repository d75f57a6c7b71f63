package io.hypersync.worker.vfs;

import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.chunkstore.UsedChunks;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.InodeNo;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.worker.coherence.View;
import io.hypersync.worker.fuse.protocol.FileHandle;
import io.hypersync.worker.fuse.protocol.FuseOperation;
import io.hypersync.worker.fuse.protocol.FuseRequest;
import io.hypersync.worker.fuse.protocol.RequestHeader;
import io.hypersync.worker.fuse.protocol.RequestId;
import io.hypersync.worker.fuse.session.FuseHandler;
import io.hypersync.worker.fuse.session.FuseReply;
import io.hypersync.worker.incarnation.HandleTable;
import io.hypersync.worker.intents.WaitingCall;
import io.hypersync.worker.sighting.Sightings;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Dispatches every kernel request: reads are answered from S_v, at once unless they must wait for
 * the barrier or for unread packets (hypersync.md 5.3, 6.2); mutations go through the leader (6.3).
 * Called by several FUSE reader threads; none of them ever waits for a commit.
 */
public final class Vfs implements FuseHandler {
  private static final Logger LOG = LoggerFactory.getLogger(Vfs.class);

  /**
   * The first of FS_IOC_ENABLE_VERITY, FS_IOC_MEASURE_VERITY and FS_IOC_READ_VERITY_METADATA: type
   * 'f', numbers 133 to 135.
   */
  private static final int FIRST_VERITY_IOCTL = 133;

  private static final int LAST_VERITY_IOCTL = 135;

  private final KernelInodes inodes;
  private final OpenHandles handles;
  private final KernelPaths paths;
  private final ReadRequests reads;
  private final DirectoryRequests directories;
  private final NamespaceRequests namespace;
  private final FileRequests files;
  private final AttributeRequests attributes;
  private final RangeRequests ranges;
  private final UnnamedFiles unnamed = new UnnamedFiles();
  private final AtimeOverrides times = new AtimeOverrides();
  private final PathRewalks pathRewalks = new PathRewalks();
  private final LockRequests locks;
  private final Nodes nodes;
  private final Mutations mutations;
  private final CachePolicy policy;
  private final Clock clock;

  /**
   * Whether a first look (LOOKUP, GETATTR, OPEN, OPENDIR) is waiting for the agent's thread. Only
   * one at a time may, since that thread has to commit as well.
   */
  private final PageFetches pages;

  private final RepairedReads repaired;

  private final AtomicBoolean looking = new AtomicBoolean();

  /**
   * Creates a filesystem over a replica.
   *
   * @param view S_v, the visible state
   * @param inodes what the kernel holds and may have cached; only the root so far
   * @param recent is told of the chunks that are read
   * @param dropListing makes the kernel drop its cached listing of a directory at once, given the
   *     inode; called while the only handle that uses the listing waits for a reply
   * @param clock tells busy directories from quiet ones, and measures mutations
   */
  public Vfs(
      Supplier<View> view,
      KernelInodes inodes,
      Mutations mutations,
      Locks locks,
      ChunkStore chunks,
      UsedChunks recent,
      Callers callers,
      Space space,
      Consumer<InodeNo> dropListing,
      CachePolicy policy,
      Clock clock) {
    this.inodes = inodes;
    Sightings sightings = new Sightings(() -> view.get().visible().index());
    this.handles = new OpenHandles(inodes.opened(), sightings, inodes.handleTable());
    this.mutations = mutations;
    this.policy = policy;
    this.clock = clock;
    this.nodes = new Nodes(view, inodes, handles, times, policy, clock);
    FileReader reader = new FileReader(chunks, recent);
    this.pages = new PageFetches(mutations);
    this.repaired = new RepairedReads(mutations, pages);
    this.paths = new KernelPaths(inodes, view);
    Submitter submitter =
        new Submitter(mutations, pages, chunks, paths, sightings, locks, view, clock);
    this.reads = new ReadRequests(nodes, space, pathRewalks);
    this.directories = new DirectoryRequests(nodes, handles, dropListing);
    this.files =
        new FileRequests(
            nodes,
            handles,
            unnamed,
            reader,
            repaired,
            submitter,
            new AccessCheck(callers),
            pathRewalks,
            clock);
    this.namespace = new NamespaceRequests(nodes, unnamed, submitter);
    this.attributes = new AttributeRequests(nodes, times, reader, repaired, submitter);
    this.ranges = new RangeRequests(nodes, submitter);
    this.locks = new LockRequests(nodes, locks);
  }

  /**
   * Takes over the handles that an earlier process has left open; to be called before the first
   * request, and after {@link KernelInodes#inherit}.
   */
  public void inherit() {
    FsState state = nodes.state();
    for (HandleTable.Row row : inodes.left()) {
      Node node = state.node(row.node());
      InodeNo inode = node == null ? InodeNo.ROOT : node.inode();
      HandleTable.Flags flags = row.flags();
      if (flags.directory()) {
        handles.inherit(
            row,
            new OpenDirectory(
                row.node(),
                flags.special() && node != null ? inodes.inheritedListing(inode) : null));
      } else {
        handles.inherit(row, new OpenHandles.OpenFile(row.node(), flags.special(), null));
        if (flags.unnamed() && node != null && node.isOrphan()) {
          unnamed.made(inode);
        }
      }
    }
  }

  /**
   * The number of opens with O_DIRECT since the start; the flag is accepted and ignored
   * (hypersync.md 6.7).
   */
  public long directOpens() {
    return files.directOpens();
  }

  /** How many calls have waited for chunks that were not here, or not intact. */
  public long readsThatFetched() {
    return repaired.fetching();
  }

  /**
   * An entry has become visible, whoever has made it: names may lead elsewhere now. On the agent's
   * thread.
   */
  public void shown(LogEntry entry, FsState after) {
    paths.shown(entry.op(), after);
  }

  /** The number of open files and directories. */
  public int openHandles() {
    return handles.size();
  }

  /** The handles of a node that are open now, in no order. */
  public List<FileHandle> handlesOf(NodeId node) {
    return handles.of(node);
  }

  /**
   * Reads one byte of a file in S_v.
   *
   * @return empty if the kernel does not hold the inode, or if the byte cannot be read
   */
  public Optional<Byte> byteAt(InodeNo inode, long offset) {
    return files.byteAt(inode, offset);
  }

  /**
   * Answers a request that a thread of this worker makes on its own mount; it waits for nothing.
   */
  public void handleOwn(FuseRequest request, FuseReply reply) {
    if (request.operation() instanceof FuseOperation.OpenDir) {
      reply.open(OpenHandles.OF_THE_WORKER, 0);
    } else {
      answer(request.header(), request.operation(), reply);
    }
  }

  @Override
  public void handle(FuseRequest request, FuseReply reply) {
    RequestHeader header = request.header();
    FuseOperation operation = request.operation();
    if ((policy.strictReads() && isRead(operation))
        || (policy.asksBeforeWriting() && FileRequests.opensForWriting(operation))) {
      mutations.whenCurrent(waiting(header, operation, reply));
    } else if (operation instanceof FuseOperation.Look
        && mutations.hasUnread()
        && looking.compareAndSet(false, true)) {
      mutations.whenRead(() -> answerOnAgentsThread(header, operation, reply));
    } else {
      answerWhenFresh(header, operation, reply);
    }
  }

  /**
   * Has an open that found no leader wait for it, if mutations do ({@code partition_grace}), and
   * handles it anew then; else it fails.
   */
  private void awaitLeader(FuseRequest request, FuseReply reply) {
    mutations.whenWritable(
        new WaitingCall(
            request.header().unique(),
            () -> handle(request, reply),
            () -> reply.error(Errno.EINTR)),
        () -> reply.error(Errno.EROFS));
  }

  /** Answers on the agent's thread; an exception fails this request with EIO, not the agent. */
  private void answerOnAgentsThread(
      RequestHeader header, FuseOperation operation, FuseReply reply) {
    try {
      answerWhenFresh(header, operation, reply);
    } catch (RuntimeException e) {
      LOG.error("{} failed", header, e);
      reply.error(Errno.EIO);
    } finally {
      looking.set(false);
    }
  }

  private void answerWhenFresh(RequestHeader header, FuseOperation operation, FuseReply reply) {
    if (policy.strictOpen() && operation instanceof FuseOperation.Opening && !mutations.isFresh()) {
      mutations.whenFresh(waiting(header, operation, reply));
    } else {
      answer(header, operation, reply);
    }
  }

  private WaitingCall waiting(RequestHeader header, FuseOperation operation, FuseReply reply) {
    return new WaitingCall(
        header.unique(), () -> answer(header, operation, reply), () -> reply.error(Errno.EINTR));
  }

  private void answer(RequestHeader header, FuseOperation operation, FuseReply reply) {
    pages.answer(
        reply,
        () -> {
          try {
            noteBusyDirectories(header, operation);
            dispatch(header, operation, reply);
          } catch (RequestFailed e) {
            if (e.errno() == Errno.ESTALE) {
              pathRewalks.note(header.pid(), clock.monotonicNs());
            }
            if (e.errno() == Errno.EROFS
                && FileRequests.opensForWriting(operation)
                && mutations.isAwaitingLeader()) {
              awaitLeader(new FuseRequest(header, operation), reply);
              return;
            }
            throw e;
          }
        });
  }

  private static boolean isRead(FuseOperation operation) {
    return operation instanceof FuseOperation.Query;
  }

  /**
   * Marks directories in which this request is about to change names as busy: the kernel does not
   * cache their names.
   */
  private void noteBusyDirectories(RequestHeader header, FuseOperation operation) {
    if (operation instanceof FuseOperation.NameChange) {
      nodes.changing(header.nodeId());
    }
    if (operation instanceof FuseOperation.Rename rename) {
      nodes.changing(rename.newParent());
    }
  }

  private void dispatch(RequestHeader header, FuseOperation operation, FuseReply reply)
      throws RequestFailed {
    switch (operation) {
      case FuseOperation.Lookup lookup -> reads.lookup(header, lookup, reply);
      case FuseOperation.Forget forget -> {
        forget(header.nodeId(), forget.lookups());
        reply.noReply();
      }
      case FuseOperation.BatchForget batch -> {
        batch.rows().forEach(row -> forget(row.nodeId(), row.lookups()));
        reply.noReply();
      }
      case FuseOperation.GetAttr _ -> reads.getAttr(header, reply);
      case FuseOperation.ReadLink _ -> reads.readLink(header, reply);
      case FuseOperation.StatFs _ -> reads.statFs(reply);
      case FuseOperation.OpenDir _ -> directories.open(header, reply);
      case FuseOperation.ReadDir readDir -> directories.read(header, readDir, reply);
      case FuseOperation.ReadDirPlus readDir -> directories.readPlus(header, readDir, reply);
      case FuseOperation.ReleaseDir release -> {
        handles.release(release.fh());
        reply.ok();
      }
      case FuseOperation.Open open -> files.open(header, open, reply);
      case FuseOperation.Create create -> files.create(header, create, reply);
      case FuseOperation.Read read -> files.read(header, read, reply);
      case FuseOperation.Write write -> files.write(header, write, reply);
      case FuseOperation.Release release -> {
        locks.released(release.fh());
        handles.release(release.fh());
        reply.ok();
      }
      case FuseOperation.Flush flush -> locks.flush(header, flush, reply);
      case FuseOperation.GetLk get -> locks.getLk(header, get, reply);
      case FuseOperation.SetLk set -> locks.setLk(header, set, reply);
      case FuseOperation.Fsync sync -> files.fsync(header, sync.fh(), reply);
      case FuseOperation.FsyncDir sync -> files.fsync(header, sync.fh(), reply);
      case FuseOperation.Symlink symlink -> namespace.symlink(header, symlink, reply);
      case FuseOperation.MkNod mkNod -> namespace.mkNod(header, mkNod, reply);
      case FuseOperation.MkDir mkDir -> namespace.mkDir(header, mkDir, reply);
      case FuseOperation.Unlink unlink -> namespace.unlink(header, unlink, reply);
      case FuseOperation.RmDir rmDir -> namespace.rmDir(header, rmDir, reply);
      case FuseOperation.Rename rename -> namespace.rename(header, rename, reply);
      case FuseOperation.Link link -> namespace.link(header, link, reply);
      case FuseOperation.SetAttr set -> attributes.setAttr(header, set, reply);
      case FuseOperation.GetXattr get -> attributes.getXattr(header, get, reply);
      case FuseOperation.ListXattr list -> attributes.listXattr(header, list, reply);
      case FuseOperation.SetXattr set -> attributes.setXattr(header, set, reply);
      case FuseOperation.RemoveXattr remove -> attributes.removeXattr(header, remove, reply);
      case FuseOperation.Tmpfile make -> files.createUnnamed(header, make, reply);
      case FuseOperation.Fallocate range -> ranges.allocate(header, range, reply);
      case FuseOperation.CopyFileRange copy -> ranges.copy(header, copy, reply);
      case FuseOperation.Lseek seek -> ranges.seek(header, seek, reply);
      case FuseOperation.Statx _ -> reads.statx(header, reply);
      // The kernel takes ENOSYS as "never ask again" and falls back to its own implementation.
      case FuseOperation.Access _,
          FuseOperation.Poll _,
          FuseOperation.Bmap _,
          FuseOperation.SyncFs _ ->
          reply.error(Errno.ENOSYS);
      case FuseOperation.Ioctl ioctl ->
          reply.error(isVerity(ioctl.command()) ? Errno.ENOTSUP : Errno.ENOTTY);
    }
  }

  /**
   * Whether the ioctl asks for fs-verity, which gets ENOTSUP (6.1.1), as on a Linux filesystem
   * where it is switched off. Any other ioctl gets ENOTTY: programs test by it that a file is not a
   * terminal (decision 020).
   */
  private static boolean isVerity(int command) {
    int number = command & 0xff;
    boolean ofFilesystems = (command >>> 8 & 0xff) == 'f';
    return ofFilesystems && number >= FIRST_VERITY_IOCTL && number <= LAST_VERITY_IOCTL;
  }

  private void forget(InodeNo inode, long lookups) {
    inodes.forget(inode, lookups);
    if (inodes.node(inode) == null) {
      unnamed.remove(inode);
      times.remove(inode);
    }
  }

  /**
   * Forwards the interrupt to both owners of waiting calls: {@link
   * io.hypersync.worker.intents.InterruptHandler} for mutations, barriers and fsync, the lock
   * client for locks.
   */
  @Override
  public void interrupted(RequestId unique, int pid) {
    mutations.interrupted(unique, pid);
    locks.interrupted(unique);
  }
}

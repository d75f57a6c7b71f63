package io.hypersync.worker.memory;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.InodeNo;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.lock.LockMode;
import io.hypersync.model.lock.LockRange;
import io.hypersync.model.text.Printable;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.worker.coherence.View;
import io.hypersync.worker.fuse.abi.FuseFlags;
import io.hypersync.worker.fuse.protocol.FileHandle;
import io.hypersync.worker.fuse.protocol.FuseEntry;
import io.hypersync.worker.fuse.protocol.FuseLock;
import io.hypersync.worker.fuse.protocol.FuseOperation;
import io.hypersync.worker.fuse.protocol.FuseRequest;
import io.hypersync.worker.fuse.protocol.FuseStatx;
import io.hypersync.worker.fuse.protocol.RequestHeader;
import io.hypersync.worker.fuse.protocol.RequestId;
import io.hypersync.worker.fuse.session.FuseHandler;
import io.hypersync.worker.fuse.session.FuseReply;
import io.hypersync.worker.local.LocalLockRequests;
import io.hypersync.worker.local.LocalNodes;
import io.hypersync.worker.vfs.KernelInodes;
import io.hypersync.worker.vfs.Locks;
import io.hypersync.worker.vfs.Mutations;
import io.hypersync.worker.vfs.OwnReads;
import io.hypersync.worker.vfs.PageFetches;
import io.hypersync.worker.vfs.RequestFailed;
import io.hypersync.worker.vfs.Vfs;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers requests about the shared memory of databases, and passes on what is not about one. Each
 * is a file of this worker's memory, which the kernel caches and processes can map.
 *
 * <p>As long as no memory is in use, a request costs two comparisons more. Thread-safe.
 */
public final class MemoryRequests {
  private static final Logger LOG = LoggerFactory.getLogger(MemoryRequests.class);

  /** All changes are made through the kernel, so it may keep them. */
  private static final long KEEP_NS = 1_000_000_000;

  private static final int STATX_BASIC = 0x7ff;
  private static final int SEEK_DATA = 3;
  private static final int O_EXCL = 0200;

  /**
   * The bytes that SQLite locks before it trusts or changes the index: for writers, checkpoints,
   * recovery, and readers. Not the byte behind them, the dead man's switch: who has it shared only
   * says that he has mapped the memory.
   */
  private static final LockRange INDEX_LOCKS = new LockRange(120, 127);

  private final SharedMemories memories;
  private final WalDatabases databases;
  private final LocalLockRequests locks = new LocalLockRequests();
  private final PageFetches pages;
  private final Clock clock;
  private final BiConsumer<Set<NodeId>, Set<RequestId>> giveUp;
  private final AtomicLong nextHandle = new AtomicLong(1);

  /** Handles of databases and logs that were open when a lease was lost: all they do is EIO. */
  private final Set<FileHandle> severed = ConcurrentHashMap.newKeySet();

  /** Requests through handles that have not been handed on yet. */
  private final Set<RequestId> entered = ConcurrentHashMap.newKeySet();

  private volatile @Nullable Vfs vfs;
  private volatile Consumer<InodeNo> dropPages = _ -> {};

  /**
   * Serves nothing yet.
   *
   * @param view S_v
   * @param giveUp ends, on the agent's thread, what was begun under a lease that is lost: mutations
   *     of these nodes, and of these requests
   */
  public MemoryRequests(
      Supplier<View> view,
      KernelInodes inodes,
      OwnReads reads,
      Mutations leader,
      Locks locksOfLeader,
      BiConsumer<Set<NodeId>, Set<RequestId>> giveUp,
      Clock clock) {
    this.memories = new SharedMemories(new DatabaseLease(locksOfLeader), locks);
    this.databases = new WalDatabases(view, inodes, reads);
    this.pages = new PageFetches(leader);
    this.giveUp = giveUp;
    this.clock = clock;
  }

  /**
   * Puts the memories into a filesystem.
   *
   * @param replicated the handler that the filesystem is behind
   */
  public FuseHandler around(FuseHandler replicated, Vfs filesystem) {
    vfs = filesystem;
    return new Router(replicated);
  }

  /** Makes the kernel forget the pages of a node; called on the agent's thread, must not block. */
  public void dropPagesWith(Consumer<InodeNo> drop) {
    dropPages = drop;
  }

  /**
   * The leader has none of this worker's locks any more, so another host may have the databases by
   * now. On the agent's thread, before anything is sent to the leader or taken from it.
   *
   * <p>From here on nothing is written that was meant under the lease, and nothing is read beside
   * an index that is out of date: handles of the databases and their logs are severed, requests
   * that have passed that check already are told to the agent, and the index is emptied. Only then
   * does the worker take what others have written meanwhile.
   */
  public void lost() {
    List<SharedMemory> lost = memories.held();
    if (lost.isEmpty()) {
      return;
    }
    Set<NodeId> nodes = new HashSet<>();
    for (SharedMemory memory : lost) {
      nodes.add(memory.database());
      NodeId log = memory.log();
      if (log != null) {
        nodes.add(log);
      }
    }
    Vfs filesystem = vfs;
    if (filesystem != null) {
      nodes.forEach(node -> severed.addAll(filesystem.handlesOf(node)));
    }
    // Each request either finds its handle severed, or has entered before this is copied.
    Set<RequestId> onTheirWay = Set.copyOf(entered);
    memories.lost(lost);
    giveUp.accept(nodes, onTheirWay);
    for (SharedMemory memory : lost) {
      dropPages.accept(memory.number());
      LOG.warn(
          "another host may have the database {} by now: SQLite in processes of this host that have"
              + " it open fails until they have closed it",
          memory.path());
    }
  }

  private final class Router implements FuseHandler {
    private final FuseHandler next;

    Router(FuseHandler next) {
      this.next = next;
    }

    @Override
    public void interrupted(RequestId unique, int pid) {
      locks.interrupted(unique);
      next.interrupted(unique, pid);
    }

    @Override
    public void handle(FuseRequest request, FuseReply reply) {
      RequestHeader header = request.header();
      if (SharedMemories.isOne(header.nodeId())) {
        pages.answer(reply, () -> here(request, reply));
        return;
      }
      if (LocalNodes.isLocal(header.nodeId())) {
        next.handle(request, reply); // handles of local files have numbers of their own
        return;
      }
      switch (request.operation()) {
        case FuseOperation.Lookup call when WalDatabases.isMemoryName(call.name()) ->
            pages.answer(reply, () -> lookup(request, call, reply));
        case FuseOperation.Create call when WalDatabases.isMemoryName(call.name()) ->
            pages.answer(reply, () -> create(request, call, reply));
        case FuseOperation.Unlink call when WalDatabases.isMemoryName(call.name()) ->
            pages.answer(reply, () -> unlink(request, call, reply));
        case FuseOperation.Rename call when WalDatabases.isMemoryName(call.name()) ->
            pages.answer(reply, () -> rename(request, call, reply));
        case FuseOperation.Link call when SharedMemories.isOne(call.target()) ->
            reply.error(Errno.EXDEV);
        case FuseOperation.CopyFileRange call when SharedMemories.isOne(call.targetNode()) ->
            reply.error(Errno.EXDEV);
        case FuseOperation.BatchForget batch -> forget(header, batch, reply);
        case FuseOperation.Read call -> through(call.fh(), request, reply);
        case FuseOperation.Write call -> through(call.fh(), request, reply);
        case FuseOperation.Fsync call -> through(call.fh(), request, reply);
        case FuseOperation.Fallocate call -> through(call.fh(), request, reply);
        case FuseOperation.CopyFileRange call -> through(call.targetFh(), request, reply);
        case FuseOperation.SetLk call when call.lock().type() != F_UNLCK ->
            through(call.fh(), request, reply);
        case FuseOperation.SetAttr call when call.has(FuseFlags.SetAttrValid.FH) ->
            through(call.fhBits(), request, reply);
        case FuseOperation.Release call -> {
          if (!severed.isEmpty()) {
            severed.remove(call.fh());
          }
          next.handle(request, reply);
        }
        default -> next.handle(request, reply);
      }
    }

    private static final int F_UNLCK = 2;

    /** A request through a handle, which may be severed. */
    private void through(FileHandle handle, FuseRequest request, FuseReply reply) {
      if (!memories.isAnyHeld() && severed.isEmpty()) {
        next.handle(request, reply);
        return;
      }
      RequestId unique = request.header().unique();
      entered.add(unique); // before the look, see lost()
      try {
        if (severed.contains(handle)) {
          reply.error(Errno.EIO);
        } else {
          next.handle(request, reply);
        }
      } finally {
        entered.remove(unique);
      }
    }

    private void forget(RequestHeader header, FuseOperation.BatchForget batch, FuseReply reply) {
      List<FuseOperation.BatchForget.Row> others =
          batch.rows().stream().filter(row -> !SharedMemories.isOne(row.nodeId())).toList();
      if (others.size() < batch.rows().size()) {
        for (FuseOperation.BatchForget.Row row : batch.rows()) {
          if (SharedMemories.isOne(row.nodeId())) {
            memories.forget(row.nodeId(), row.lookups());
          }
        }
      }
      next.handle(new FuseRequest(header, new FuseOperation.BatchForget(others)), reply);
    }

    /** The memory that a name leads to, with where its log is now; null if it leads to none. */
    private @Nullable SharedMemory find(WalDatabases.@Nullable Found found) {
      return found == null ? null : memories.find(found.file().id());
    }

    private void lookup(FuseRequest request, FuseOperation.Lookup call, FuseReply reply) {
      WalDatabases.Found found = databases.of(request.header().nodeId(), call.name());
      SharedMemory memory = find(found);
      if (found == null || memory == null) {
        next.handle(request, reply);
        return;
      }
      memories.lookedUp(memory, found.log());
      reply.entry(entry(memory));
    }

    /**
     * SQLite makes the memory of a database that says that it is in WAL mode; a file of such a name
     * beside any other file is replicated.
     */
    private void create(FuseRequest request, FuseOperation.Create call, FuseReply reply)
        throws RequestFailed {
      RequestHeader header = request.header();
      WalDatabases.Found found = databases.of(header.nodeId(), call.name());
      if (find(found) != null) {
        // The kernel looks again, and opens it with the permissions checked.
        boolean excludes = (call.flags() & O_EXCL) != 0;
        throw new RequestFailed(excludes ? Errno.EEXIST : Errno.ESTALE);
      }
      if (found == null || !databases.isInWalMode(found.file())) {
        next.handle(request, reply);
        return;
      }
      SharedMemory made =
          memories.make(
              found.file().id(),
              Printable.line(found.name().bytes()),
              call.mode(),
              header.uid(),
              header.gid(),
              clock.epochNs());
      memories.lookedUp(made, found.log());
      memories.opened(made);
      reply.create(entry(made), handle(), FuseFlags.OpenReply.KEEP_CACHE);
    }

    /** It is gone with its last close, and until then others of this host must find it. */
    private void unlink(FuseRequest request, FuseOperation.Unlink call, FuseReply reply) {
      if (find(databases.of(request.header().nodeId(), call.name())) == null) {
        next.handle(request, reply);
      } else {
        reply.ok();
      }
    }

    private void rename(FuseRequest request, FuseOperation.Rename call, FuseReply reply) {
      if (find(databases.of(request.header().nodeId(), call.name())) == null) {
        next.handle(request, reply);
      } else {
        reply.error(Errno.EXDEV);
      }
    }

    private FileHandle handle() {
      return new FileHandle(nextHandle.getAndIncrement());
    }

    /** The name is looked up each time: a replicated one goes before it, and it may be over. */
    private FuseEntry entry(SharedMemory memory) {
      return new FuseEntry(memory.number(), 0, memories.attributes(memory), 0, KEEP_NS);
    }

    private void here(FuseRequest request, FuseReply reply) throws RequestFailed {
      RequestHeader header = request.header();
      if (request.operation() instanceof FuseOperation.Forget forget) {
        memories.forget(header.nodeId(), forget.lookups());
        reply.noReply();
        return;
      }
      SharedMemory memory = memories.get(header.nodeId());
      switch (request.operation()) {
        case FuseOperation.GetAttr _ -> reply.attr(memories.attributes(memory), KEEP_NS);
        case FuseOperation.Statx _ ->
            reply.statx(new FuseStatx(memories.attributes(memory), STATX_BASIC, 0, 0, 0), KEEP_NS);
        case FuseOperation.SetAttr set ->
            reply.attr(memories.set(memory, set, clock.epochNs()), KEEP_NS);
        case FuseOperation.Open _ -> {
          memories.opened(memory);
          reply.open(handle(), FuseFlags.OpenReply.KEEP_CACHE);
        }
        case FuseOperation.Release release -> {
          memories.released(memory, release.fh());
          reply.ok();
        }
        case FuseOperation.Read read ->
            reply.data(memories.read(memory, read.offset(), read.size()));
        case FuseOperation.Write write -> {
          memories.write(memory, write.offset(), write.data(), clock.epochNs());
          reply.write(write.data().length);
        }
        case FuseOperation.Fsync _ -> reply.ok(); // nothing of it outlives the worker
        case FuseOperation.Flush flush -> memories.closed(memory, flush.lockOwner(), reply::ok);
        case FuseOperation.GetLk get -> getLk(memory, header, get, reply);
        case FuseOperation.SetLk set -> setLk(memory, header, set, reply);
        case FuseOperation.Lseek seek -> seek(memory, seek, reply);
        case FuseOperation.CopyFileRange _ -> throw new RequestFailed(Errno.EXDEV);
        case FuseOperation.GetXattr _ -> throw new RequestFailed(Errno.ENODATA);
        case FuseOperation.Access _,
            FuseOperation.StatFs _,
            FuseOperation.Poll _,
            FuseOperation.Bmap _,
            FuseOperation.SyncFs _,
            FuseOperation.Ioctl _ ->
            next.handle(request, reply); // its answer is the same for all nodes
        default -> throw new RequestFailed(Errno.ENOTSUP);
      }
    }

    private void seek(SharedMemory memory, FuseOperation.Lseek seek, FuseReply reply)
        throws RequestFailed {
      long size = memories.attributes(memory).size();
      if (seek.offset() < 0 || seek.offset() >= size) {
        throw new RequestFailed(Errno.ENXIO);
      }
      reply.lseek(seek.whence() == SEEK_DATA ? seek.offset() : size);
    }

    private static boolean needsLease(LockMode mode, LockRange range) {
      return mode == LockMode.EXCLUSIVE || range.overlaps(INDEX_LOCKS);
    }

    /**
     * By this SQLite finds out whether it is the first to map the memory, and then empties it. On
     * another host others have it mapped, so the answer is their shared lock.
     */
    private void getLk(
        SharedMemory memory, RequestHeader header, FuseOperation.GetLk get, FuseReply reply)
        throws RequestFailed {
      LockMode mode = LocalLockRequests.mode(get.lock());
      if (mode == null) {
        throw new RequestFailed(Errno.EINVAL);
      }
      boolean needs = needsLease(mode, LocalLockRequests.range(get.lock()));
      memories.use(
          memory,
          needs,
          new LockUse(reply) {
            @Override
            public void goOn() {
              pages.answer(reply, () -> locks.get(header.nodeId(), get, reply));
            }

            @Override
            public void refused() {
              heldBy(LocalLockRequests.F_RDLCK);
            }

            @Override
            public void over() {
              heldBy(LocalLockRequests.F_WRLCK);
            }

            private void heldBy(int type) {
              reply.lock(new FuseLock(get.lock().start(), get.lock().end(), type, 0));
            }
          });
    }

    private void setLk(
        SharedMemory memory, RequestHeader header, FuseOperation.SetLk set, FuseReply reply)
        throws RequestFailed {
      LockMode mode = LocalLockRequests.mode(set.lock());
      if (mode == null) {
        locks.set(header, set, reply);
        return;
      }
      boolean isFlock = (set.lockFlags() & FuseFlags.Lock.FLOCK) != 0;
      boolean needs = isFlock || needsLease(mode, LocalLockRequests.range(set.lock()));
      memories.use(
          memory,
          needs,
          new LockUse(reply) {
            @Override
            public void goOn() {
              pages.answer(reply, () -> locks.set(header, set, reply));
            }

            @Override
            public void refused() {
              reply.error(Errno.EAGAIN); // SQLITE_BUSY
            }

            @Override
            public void over() {
              reply.error(Errno.EAGAIN);
            }
          });
    }
  }

  private abstract static class LockUse implements SharedMemory.Use {
    private final FuseReply reply;

    LockUse(FuseReply reply) {
      this.reply = reply;
    }

    @Override
    public void failed(Errno errno) {
      reply.error(errno);
    }
  }
}

package io.hypersync.worker.daemon.local;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.InodeNo;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.state.NodeAttributes;
import io.hypersync.worker.fuse.abi.FuseFlags;
import io.hypersync.worker.fuse.dev.HostCallFailed;
import io.hypersync.worker.fuse.dev.HostFiles;
import io.hypersync.worker.fuse.dev.HostStat;
import io.hypersync.worker.fuse.protocol.DirectoryBuffer;
import io.hypersync.worker.fuse.protocol.FileHandle;
import io.hypersync.worker.fuse.protocol.FuseOperation;
import io.hypersync.worker.fuse.protocol.FuseRequest;
import io.hypersync.worker.fuse.protocol.RequestHeader;
import io.hypersync.worker.fuse.protocol.RequestId;
import io.hypersync.worker.fuse.session.FuseHandler;
import io.hypersync.worker.fuse.session.FuseReply;
import io.hypersync.worker.local.IgnoreRules;
import io.hypersync.worker.local.LocalLockRequests;
import io.hypersync.worker.local.LocalNode;
import io.hypersync.worker.local.LocalNodes;
import io.hypersync.worker.local.LocalParent;
import io.hypersync.worker.local.LocalPlace;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Decides for each request whether it is about a local file, and passes on what is not.
 *
 * <ul>
 *   <li>What has a local number is local, and so is everything below it.
 *   <li>A name in a replicated directory is replicated if the visible state has it.
 *   <li>Otherwise it is local if the patterns say so for its kind. The kernel is told such a name
 *       for no time, so it asks again at each use: a replicated name goes before it from the moment
 *       that it is visible.
 *   <li>Nothing becomes local or replicated by a rename or a link: EXDEV, upon which mv copies.
 * </ul>
 *
 * <p>As long as there is no {@code hypersync.ignore}, a request costs one comparison and one read
 * of a field more. Thread-safe.
 */
final class LocalRouter implements FuseHandler {
  /** The cookies of local rows of replicated directories begin here; others are small. */
  private static final long LOCAL_ROWS = 1L << 62;

  /** Local names of one replicated directory that are listed. */
  private static final int MAX_ROWS = 1 << 20;

  private static final int DIRECTORY_TYPE = 4;

  private final LocalPaths paths;
  private final ReplicatedNames names;
  private final IgnoreWatch watch;
  private final LocalNodes nodes;
  private final FuseHandler next;
  private final LocalLockRequests locks = new LocalLockRequests();

  /** The local rows of open replicated directories, from their first to their last read. */
  private final ConcurrentHashMap<FileHandle, List<HostFiles.Row>> listed =
      new ConcurrentHashMap<>();

  /** Whether there were patterns since the mount: the kernel may have names by them. */
  private volatile boolean hadRules;

  LocalRouter(
      LocalPaths paths,
      ReplicatedNames names,
      IgnoreWatch watch,
      LocalNodes nodes,
      FuseHandler next) {
    this.paths = paths;
    this.names = names;
    this.watch = watch;
    this.nodes = nodes;
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
    if (LocalNodes.isLocal(header.nodeId())) {
      local(request, reply);
      return;
    }
    switch (request.operation()) {
      case FuseOperation.BatchForget batch -> forget(header, batch, reply);
      case FuseOperation.NameChange _, FuseOperation.CopyFileRange _ -> changing(request, reply);
      case FuseOperation.Lookup _,
          FuseOperation.OpenDir _,
          FuseOperation.ReadDir _,
          FuseOperation.ReadDirPlus _,
          FuseOperation.ReleaseDir _ ->
          reading(request, reply);
      default -> next.handle(request, reply);
    }
  }

  private void forget(RequestHeader header, FuseOperation.BatchForget batch, FuseReply reply) {
    List<FuseOperation.BatchForget.Row> replicated = new ArrayList<>(batch.rows().size());
    for (FuseOperation.BatchForget.Row row : batch.rows()) {
      if (LocalNodes.isLocal(row.nodeId())) {
        nodes.forget(row.nodeId(), row.lookups());
      } else {
        replicated.add(row);
      }
    }
    next.handle(new FuseRequest(header, new FuseOperation.BatchForget(replicated)), reply);
  }

  /** Whether nothing is local now. */
  private boolean hasNoRules() {
    boolean none = rules().isEmpty();
    if (!none && !hadRules) {
      hadRules = true;
    }
    return none;
  }

  private void changing(FuseRequest request, FuseReply reply) {
    FuseOperation operation = request.operation();
    boolean reachesLocal =
        switch (operation) {
          case FuseOperation.Rename rename -> LocalNodes.isLocal(rename.newParent());
          case FuseOperation.Link link -> LocalNodes.isLocal(link.target());
          case FuseOperation.CopyFileRange copy -> LocalNodes.isLocal(copy.targetNode());
          default -> false;
        };
    if (!reachesLocal && (operation instanceof FuseOperation.CopyFileRange || hasNoRules())) {
      next.handle(request, reply);
      return;
    }
    RequestHeader header = request.header();
    paths.answer(
        reply,
        () -> {
          switch (operation) {
            case FuseOperation.CopyFileRange _ -> throw new HostCallFailed(Errno.EXDEV);
            case FuseOperation.MkDir make -> make(request, make.name(), true, reply);
            case FuseOperation.Create make -> make(request, make.name(), false, reply);
            case FuseOperation.MkNod make -> make(request, make.name(), false, reply);
            case FuseOperation.Symlink make -> make(request, make.name(), false, reply);
            case FuseOperation.Unlink unlink -> remove(request, unlink.name(), false, reply);
            case FuseOperation.RmDir remove -> remove(request, remove.name(), true, reply);
            case FuseOperation.Link link -> link(header, link, request, reply);
            case FuseOperation.Rename rename -> rename(header, rename, request, reply);
            default -> next.handle(request, reply);
          }
        });
  }

  // Names in replicated directories.

  /**
   * A name in a replicated directory that the state does not have.
   *
   * @param path the directory's
   */
  private record Free(ReplicatedNames.Directory directory, List<String> path, Name name) {
    NodeId id() {
      return directory.node().id();
    }

    LocalParent.Replicated parent() {
      return new LocalParent.Replicated(id());
    }

    LocalPlace place() {
      return new LocalPlace(parent(), name);
    }

    boolean isLocal(IgnoreRules rules, boolean isDirectory) {
      return rules.isLocal(full(), isDirectory);
    }

    boolean mayBeLocal(IgnoreRules rules) {
      return isLocal(rules, true) || isLocal(rules, false);
    }

    private List<String> full() {
      List<String> full = new ArrayList<>(path);
      full.add(IgnoreRules.text(name));
      return full;
    }

    NewFile owner(RequestHeader caller) {
      NodeAttributes attributes = directory.node().attributes();
      boolean passesGroup = (attributes.mode() & NodeAttributes.SET_GROUP_ID) != 0;
      return new NewFile(
          caller.uid(),
          caller.gid(),
          passesGroup ? OptionalInt.of(attributes.gid()) : OptionalInt.empty());
    }
  }

  private IgnoreRules rules() {
    return watch.now().rules();
  }

  /** The name, if the state does not have it; null if it does, or there is no such directory. */
  private @Nullable Free free(InodeNo directory, byte[] name) {
    if (name.length > Name.MAX_BYTES || !Name.isWellFormed(name)) {
      return null;
    }
    ReplicatedNames.Directory parent = names.directory(directory);
    Name parsed = Name.of(name);
    if (parent == null || parent.child(parsed) != null) {
      return null;
    }
    List<String> path = names.path(parent);
    return path == null ? null : new Free(parent, path, parsed);
  }

  /** What a free name leads to on this host, if it is one that is shown; null if not. */
  private @Nullable HostStat found(Free free) throws HostCallFailed {
    LocalPaths.Served served = paths.served();
    if (served == null) {
      return null;
    }
    HostStat stat;
    try {
      stat =
          served
              .tree()
              .within(
                  free.parent(), (directory, _) -> HostFiles.stat(directory, free.name().bytes()));
    } catch (HostCallFailed e) {
      if (e.errno() == Errno.ENOENT) {
        return null;
      }
      throw e;
    }
    return free.isLocal(rules(), stat.isDirectory()) ? stat : null;
  }

  private void make(FuseRequest request, byte[] name, boolean isDirectory, FuseReply reply) {
    RequestHeader header = request.header();
    Free free = free(header.nodeId(), name);
    if (free == null || !free.isLocal(rules(), isDirectory)) {
      next.handle(request, reply);
      return;
    }
    paths.answerLater(
        reply,
        () -> {
          LocalRequests requests = madeIn(free);
          NewFile owner = free.owner(header);
          switch (request.operation()) {
            case FuseOperation.MkDir make -> requests.mkDir(free.place(), owner, make, reply);
            case FuseOperation.MkNod make -> requests.mkNod(free.place(), owner, make, reply);
            case FuseOperation.Symlink make -> requests.symlink(free.place(), owner, make, reply);
            case FuseOperation.Create make -> requests.create(free.place(), owner, make, reply);
            default -> throw new HostCallFailed(Errno.EIO);
          }
        });
  }

  /** Makes room for a name in a replicated directory. */
  private LocalRequests madeIn(Free free) throws HostCallFailed {
    LocalPaths.Served served = paths.serve();
    served.store().make(free.id(), String.join("/", free.path()));
    return served.requests();
  }

  private void remove(FuseRequest request, byte[] name, boolean ofDirectory, FuseReply reply)
      throws HostCallFailed {
    InodeNo parent = request.header().nodeId();
    Free free = free(parent, name);
    if (free == null) {
      if (ofDirectory) {
        removeReplicated(request, parent, name, reply);
      } else {
        next.handle(request, reply);
      }
    } else if (free.mayBeLocal(rules())) {
      paths.answerLater(
          reply,
          () -> {
            if (found(free) == null) {
              next.handle(request, reply);
            } else {
              paths.serve().requests().remove(free.place(), ofDirectory, reply);
            }
          });
    } else {
      next.handle(request, reply);
    }
  }

  /** A replicated directory is empty only if this host shows no local name in it. */
  private void removeReplicated(FuseRequest request, InodeNo parent, byte[] name, FuseReply reply) {
    ReplicatedNames.Directory target = directory(parent, name);
    if (target == null || paths.served() == null) {
      next.handle(request, reply);
      return;
    }
    paths.answerLater(
        reply,
        () -> {
          if (!shown(target).isEmpty()) {
            throw new HostCallFailed(Errno.ENOTEMPTY);
          }
          next.handle(request, reply);
        });
  }

  /** The replicated directory that a name leads to; null if it leads to none. */
  private ReplicatedNames.@Nullable Directory directory(InodeNo parent, byte[] name) {
    ReplicatedNames.Directory above = names.directory(parent);
    if (above == null || name.length > Name.MAX_BYTES || !Name.isWellFormed(name)) {
      return null;
    }
    var child = above.child(Name.of(name));
    return child == null ? null : ReplicatedNames.directory(above.state(), child.id());
  }

  private void link(
      RequestHeader header, FuseOperation.Link link, FuseRequest request, FuseReply reply)
      throws HostCallFailed {
    Free free = free(header.nodeId(), link.newName());
    boolean becomesLocal = free != null && free.isLocal(rules(), false);
    if (!LocalNodes.isLocal(link.target())) {
      if (becomesLocal) {
        throw new HostCallFailed(Errno.EXDEV);
      }
      next.handle(request, reply);
      return;
    }
    LocalNode target = node(link.target());
    if (free == null || !becomesLocal) {
      throw new HostCallFailed(Errno.EXDEV);
    }
    paths.answerLater(reply, () -> madeIn(free).link(target, free.place(), reply));
  }

  private void rename(
      RequestHeader header, FuseOperation.Rename rename, FuseRequest request, FuseReply reply)
      throws HostCallFailed {
    Free source = free(header.nodeId(), rename.name());
    if (source == null) {
      renameReplicated(rename, request, reply);
      return;
    }
    if (!source.mayBeLocal(rules())) {
      next.handle(request, reply);
      return;
    }
    paths.answerLater(
        reply,
        () -> {
          HostStat stat = found(source);
          if (stat == null) {
            next.handle(request, reply);
            return;
          }
          if (rename.flags() == FuseFlags.Rename.EXCHANGE) {
            requireStaysLocal(source, rename);
          }
          renameLocal(source.place(), stat.isDirectory(), rename, reply);
        });
  }

  /** What takes the place of an exchanged name is local there, too. */
  private void requireStaysLocal(Free source, FuseOperation.Rename rename) throws HostCallFailed {
    boolean isDirectory;
    if (LocalNodes.isLocal(rename.newParent())) {
      LocalNode parent = node(rename.newParent());
      isDirectory =
          paths
              .serve()
              .tree()
              .within(parent, (fd, _) -> HostFiles.stat(fd, rename.newName()))
              .isDirectory();
    } else {
      Free target = free(rename.newParent(), rename.newName());
      HostStat stat = target == null ? null : found(target);
      if (stat == null) {
        throw new HostCallFailed(target == null ? Errno.EXDEV : Errno.ENOENT);
      }
      isDirectory = stat.isDirectory();
    }
    if (!source.isLocal(rules(), isDirectory)) {
      throw new HostCallFailed(Errno.EXDEV);
    }
  }

  /** A replicated name is moved. */
  private void renameReplicated(FuseOperation.Rename rename, FuseRequest request, FuseReply reply)
      throws HostCallFailed {
    if (LocalNodes.isLocal(rename.newParent())) {
      throw new HostCallFailed(Errno.EXDEV);
    }
    Free target = free(rename.newParent(), rename.newName());
    if (target != null) {
      boolean isDirectory = directory(request.header().nodeId(), rename.name()) != null;
      if (target.isLocal(rules(), isDirectory)) {
        throw new HostCallFailed(Errno.EXDEV);
      }
      next.handle(request, reply);
      return;
    }
    ReplicatedNames.Directory replaced =
        rename.flags() == 0 ? directory(rename.newParent(), rename.newName()) : null;
    if (replaced == null || paths.served() == null) {
      next.handle(request, reply);
      return;
    }
    paths.answerLater(
        reply,
        () -> {
          if (!shown(replaced).isEmpty()) {
            throw new HostCallFailed(Errno.ENOTEMPTY);
          }
          next.handle(request, reply);
        });
  }

  /** A local name is moved: to where it is local, too, or not at all. */
  private void renameLocal(
      LocalPlace from, boolean isDirectory, FuseOperation.Rename rename, FuseReply reply)
      throws HostCallFailed {
    if (LocalNodes.isLocal(rename.newParent())) {
      LocalPlace to =
          new LocalPlace(node(rename.newParent()), LocalRequests.name(rename.newName()));
      paths.serve().requests().rename(from, to, rename.flags(), reply);
      return;
    }
    Free target = free(rename.newParent(), rename.newName());
    if (target == null) {
      boolean mayNotReplace = (rename.flags() & FuseFlags.Rename.NOREPLACE) != 0;
      throw new HostCallFailed(mayNotReplace ? Errno.EEXIST : Errno.EXDEV);
    }
    if (!target.isLocal(rules(), isDirectory)) {
      throw new HostCallFailed(Errno.EXDEV);
    }
    madeIn(target).rename(from, target.place(), rename.flags(), reply);
  }

  // Lookups and listings of replicated directories.

  private void reading(FuseRequest request, FuseReply reply) {
    FuseOperation operation = request.operation();
    boolean isIdle = hasNoRules() && (!hadRules || operation instanceof FuseOperation.Lookup);
    if (isIdle) {
      next.handle(request, reply);
      return;
    }
    switch (operation) {
      case FuseOperation.Lookup lookup -> paths.answer(reply, () -> lookup(request, lookup, reply));
      case FuseOperation.OpenDir _ -> openDirectory(request, reply);
      case FuseOperation.ReadDir read ->
          list(request, read.fh(), read.offset(), new DirectoryBuffer.Plain(read.size()), reply);
      case FuseOperation.ReadDirPlus read ->
          list(request, read.fh(), read.offset(), new DirectoryBuffer.Plus(read.size()), reply);
      case FuseOperation.ReleaseDir release -> {
        listed.remove(release.fh());
        next.handle(request, reply);
      }
      default -> next.handle(request, reply);
    }
  }

  /**
   * The replicated name goes first. That a name of a pattern is missing is not cached: it may be
   * here, or come to be here, without an entry that would end that.
   */
  private void lookup(FuseRequest request, FuseOperation.Lookup lookup, FuseReply reply) {
    InodeNo parent = request.header().nodeId();
    byte[] name = lookup.name();
    if (!mayBeLocal(parent, name)) {
      next.handle(request, reply);
      return;
    }
    next.handle(
        request,
        new ForwardingReply(reply) {
          @Override
          public void negativeEntry(long ttlNs) {
            miss();
          }

          @Override
          public void error(Errno errno) {
            if (errno == Errno.ENOENT) {
              miss();
            } else {
              next().error(errno);
            }
          }

          private void miss() {
            paths.answerLater(reply, () -> lookupHere(parent, name, reply));
          }
        });
  }

  private boolean mayBeLocal(InodeNo parent, byte[] name) {
    if (name.length > Name.MAX_BYTES || !Name.isWellFormed(name)) {
      return false;
    }
    ReplicatedNames.Directory directory = names.directory(parent);
    List<String> path = directory == null ? null : names.path(directory);
    return directory != null
        && path != null
        && new Free(directory, path, Name.of(name)).mayBeLocal(rules());
  }

  private void lookupHere(InodeNo parent, byte[] name, FuseReply reply) throws HostCallFailed {
    Free free = free(parent, name);
    HostStat stat = free == null ? null : found(free);
    if (free == null || stat == null) {
      throw new HostCallFailed(Errno.ENOENT);
    }
    reply.entry(paths.serve().requests().entry(free.place(), stat));
  }

  /**
   * The kernel keeps no listing of a directory with local names: nobody would tell it when they
   * change.
   */
  private void openDirectory(FuseRequest request, FuseReply reply) {
    LocalPaths.Served served = paths.served();
    if (served == null) {
      next.handle(request, reply);
      return;
    }
    paths.answerLater(
        reply,
        () -> {
          ReplicatedNames.Directory directory = names.directory(request.header().nodeId());
          boolean holds = directory != null && served.store().holds(directory.node().id());
          next.handle(request, holds ? withoutListing(reply) : reply);
        });
  }

  private static FuseReply withoutListing(FuseReply reply) {
    return new ForwardingReply(reply) {
      @Override
      public void open(FileHandle fh, int flags) {
        next().open(fh, flags & ~FuseFlags.OpenReply.CACHE_DIR);
      }
    };
  }

  /** Local rows come behind the replicated ones. */
  private void list(
      FuseRequest request, FileHandle fh, long offset, DirectoryBuffer buffer, FuseReply reply) {
    LocalPaths.Served served = paths.served();
    if (served == null) {
      next.handle(request, reply);
      return;
    }
    InodeNo number = request.header().nodeId();
    if (offset >= LOCAL_ROWS) {
      int from = (int) Math.min(offset - LOCAL_ROWS, MAX_ROWS);
      paths.answerLater(reply, () -> listHere(served, number, fh, from, buffer, reply));
      return;
    }
    if (offset == 0) {
      listed.remove(fh);
    }
    next.handle(
        request,
        new ForwardingReply(reply) {
          @Override
          public void directory(DirectoryBuffer rows) {
            if (rows.isEmpty()) {
              paths.answerLater(reply, () -> listHere(served, number, fh, 0, buffer, reply));
            } else {
              next().directory(rows);
            }
          }
        });
  }

  private void listHere(
      LocalPaths.Served served,
      InodeNo number,
      FileHandle fh,
      int from,
      DirectoryBuffer buffer,
      FuseReply reply)
      throws HostCallFailed {
    ReplicatedNames.Directory directory = names.directory(number);
    if (directory != null) {
      List<HostFiles.Row> rows = listed.get(fh);
      if (rows == null) {
        rows = shown(directory);
        if (!rows.isEmpty()) {
          listed.put(fh, rows);
        }
      }
      LocalParent.Replicated parent = new LocalParent.Replicated(directory.node().id());
      served.listing().append(parent, rows, from, LOCAL_ROWS, buffer);
    }
    reply.directory(buffer);
  }

  /** The local names that are shown in a replicated directory. */
  private List<HostFiles.Row> shown(ReplicatedNames.Directory directory) throws HostCallFailed {
    LocalPaths.Served served = paths.served();
    List<String> path = names.path(directory);
    if (served == null || path == null) {
      return List.of();
    }
    List<HostFiles.Row> shown = new ArrayList<>();
    for (HostFiles.Row row : served.store().rows(directory.node().id(), MAX_ROWS)) {
      Name name = Name.of(row.name());
      Free free = new Free(directory, path, name);
      if (directory.child(name) == null && free.isLocal(rules(), row.type() == DIRECTORY_TYPE)) {
        shown.add(row);
      }
    }
    return shown;
  }

  // What is local.

  private LocalNode node(InodeNo number) throws HostCallFailed {
    LocalNode node = nodes.get(number);
    if (node == null) {
      throw new HostCallFailed(Errno.ESTALE);
    }
    return node;
  }

  private void local(FuseRequest request, FuseReply reply) {
    RequestHeader header = request.header();
    switch (request.operation()) {
      case FuseOperation.Forget forget -> {
        nodes.forget(header.nodeId(), forget.lookups());
        reply.noReply();
      }
      case FuseOperation.BatchForget batch -> forget(header, batch, reply);
      case FuseOperation.GetLk get ->
          paths.answerLock(reply, () -> locks.get(header.nodeId(), get, reply));
      case FuseOperation.SetLk set -> paths.answerLock(reply, () -> locks.set(header, set, reply));
      case FuseOperation.Flush flush -> {
        locks.closed(header.nodeId(), flush.lockOwner());
        reply.ok();
      }
      case FuseOperation.Access _,
          FuseOperation.Poll _,
          FuseOperation.Bmap _,
          FuseOperation.SyncFs _,
          FuseOperation.Ioctl _ ->
          next.handle(request, reply); // its answer is the same for all nodes
      default -> paths.answerLater(reply, () -> onDisk(request, reply));
    }
  }

  private void onDisk(FuseRequest request, FuseReply reply) throws HostCallFailed {
    RequestHeader header = request.header();
    LocalRequests requests = paths.serve().requests();
    LocalListing listing = paths.serve().listing();
    if (request.operation() instanceof FuseOperation.Release release) {
      locks.released(header.nodeId(), release.fh());
      requests.release(release.fh(), reply);
      return;
    }
    if (request.operation() instanceof FuseOperation.ReleaseDir release) {
      requests.release(release.fh(), reply);
      return;
    }
    LocalNode node = node(header.nodeId());
    NewFile owner = new NewFile(header.uid(), header.gid(), OptionalInt.empty());
    switch (request.operation()) {
      case FuseOperation.Lookup look -> requests.lookup(place(node, look.name()), reply);
      case FuseOperation.GetAttr get -> requests.getAttr(node, get, reply);
      case FuseOperation.Statx get -> requests.statx(node, get, reply);
      case FuseOperation.SetAttr set -> requests.setAttr(node, set, reply);
      case FuseOperation.ReadLink _ -> requests.readLink(node, reply);
      case FuseOperation.StatFs _ -> requests.statFs(node, reply);
      case FuseOperation.Symlink make ->
          requests.symlink(place(node, make.name()), owner, make, reply);
      case FuseOperation.MkNod make -> requests.mkNod(place(node, make.name()), owner, make, reply);
      case FuseOperation.MkDir make -> requests.mkDir(place(node, make.name()), owner, make, reply);
      case FuseOperation.Create make ->
          requests.create(place(node, make.name()), owner, make, reply);
      case FuseOperation.Tmpfile make -> requests.createUnnamed(node, owner, make, reply);
      case FuseOperation.Unlink unlink -> requests.remove(place(node, unlink.name()), false, reply);
      case FuseOperation.RmDir remove -> requests.remove(place(node, remove.name()), true, reply);
      case FuseOperation.Rename rename -> renameFrom(node, rename, reply);
      case FuseOperation.Link link -> {
        if (!LocalNodes.isLocal(link.target())) {
          throw new HostCallFailed(Errno.EXDEV);
        }
        requests.link(node(link.target()), place(node, link.newName()), reply);
      }
      case FuseOperation.Open opening -> requests.open(node, opening, reply);
      case FuseOperation.OpenDir _ -> requests.openDirectory(node, reply);
      case FuseOperation.ReadDir read -> listing.read(node, read, () -> above(node), reply);
      case FuseOperation.ReadDirPlus read -> listing.readPlus(node, read, () -> above(node), reply);
      case FuseOperation.Read read -> requests.read(read, reply);
      case FuseOperation.Write write -> requests.write(write, reply);
      case FuseOperation.Fsync sync -> requests.fsync(sync.fh(), sync.flags(), reply);
      case FuseOperation.FsyncDir sync -> requests.fsync(sync.fh(), sync.flags(), reply);
      case FuseOperation.Fallocate range -> requests.allocate(range, reply);
      case FuseOperation.Lseek seek -> requests.seek(seek, reply);
      case FuseOperation.CopyFileRange copy -> {
        if (!LocalNodes.isLocal(copy.targetNode())) {
          throw new HostCallFailed(Errno.EXDEV);
        }
        requests.copy(copy, reply);
      }
      case FuseOperation.GetXattr get -> requests.getXattr(node, get, reply);
      case FuseOperation.ListXattr list -> requests.listXattr(node, list, reply);
      case FuseOperation.SetXattr set -> requests.setXattr(node, set, reply);
      case FuseOperation.RemoveXattr remove -> requests.removeXattr(node, remove, reply);
      default -> throw new HostCallFailed(Errno.ENOSYS);
    }
  }

  private static LocalPlace place(LocalNode parent, byte[] name) throws HostCallFailed {
    return new LocalPlace(parent, LocalRequests.name(name));
  }

  /** The number of the directory above one, as readdir shows it. */
  private InodeNo above(LocalNode node) {
    return switch (nodes.parent(node)) {
      case LocalNode parent -> LocalAttributes.inode(parent.host().inode());
      case LocalParent.Replicated(var directory) -> names.inode(directory);
    };
  }

  private void renameFrom(LocalNode parent, FuseOperation.Rename rename, FuseReply reply)
      throws HostCallFailed {
    LocalPlace from = place(parent, rename.name());
    boolean isDirectory =
        paths
            .serve()
            .tree()
            .within(parent, (fd, _) -> HostFiles.stat(fd, rename.name()))
            .isDirectory();
    renameLocal(from, isDirectory, rename, reply);
  }
}

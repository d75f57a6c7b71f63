package io.hypersync.worker.daemon.local;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.InodeNo;
import io.hypersync.model.id.Name;
import io.hypersync.worker.fuse.abi.FuseFlags;
import io.hypersync.worker.fuse.abi.FuseFlags.SetAttrValid;
import io.hypersync.worker.fuse.dev.HostCallFailed;
import io.hypersync.worker.fuse.dev.HostFiles;
import io.hypersync.worker.fuse.dev.HostStat;
import io.hypersync.worker.fuse.protocol.FileHandle;
import io.hypersync.worker.fuse.protocol.FuseEntry;
import io.hypersync.worker.fuse.protocol.FuseOperation;
import io.hypersync.worker.fuse.protocol.FuseStatFs;
import io.hypersync.worker.fuse.protocol.FuseStatx;
import io.hypersync.worker.fuse.session.FuseReply;
import io.hypersync.worker.local.LocalNode;
import io.hypersync.worker.local.LocalNodes;
import io.hypersync.worker.local.LocalParent;
import io.hypersync.worker.local.LocalPlace;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.OptionalInt;

/**
 * Answers requests about local files: each is made on this host's own filesystem. Permissions were
 * checked by the kernel. Blocks for the disk.
 */
final class LocalRequests {
  /**
   * How long the kernel may cache what it is told. All changes are made through it, so this bounds
   * only how late it notices what an operator does in the folder.
   */
  static final long KEEP_NS = 1_000_000_000;

  private static final int ACCESS_MODE = 03;
  private static final int O_EXCL = 0200;
  private static final int O_SYNC = 04010000;
  private static final int SET_USER_ID = 04000;
  private static final int SET_GROUP_ID = 02000;
  private static final int GROUP_EXECUTE = 010;
  private static final int DATA_ONLY = 1;
  private static final int HANDLE_IS_VALID = 1;
  private static final int STATX_BASIC_AND_BTIME = 0xfff;
  private static final int MAX_XATTRS_BYTES = 65_536;
  private static final List<String> NAMESPACES = List.of("user.", "trusted.", "security.");

  /** The name of a file that has none; nothing is found by it. */
  private static final Name UNNAMED = Name.of(new byte[] {1});

  private final LocalStore store;
  private final HostTree tree;
  private final LocalNodes nodes;
  private final OpenLocalFiles open;

  LocalRequests(LocalStore store, HostTree tree, LocalNodes nodes, OpenLocalFiles open) {
    this.store = store;
    this.tree = tree;
    this.nodes = nodes;
    this.open = open;
  }

  /** EINVAL for what is no name, ENAMETOOLONG for one of more than 255 bytes. */
  static Name name(byte[] bytes) throws HostCallFailed {
    if (bytes.length > Name.MAX_BYTES) {
      throw new HostCallFailed(Errno.ENAMETOOLONG);
    }
    if (!Name.isWellFormed(bytes)) {
      throw new HostCallFailed(Errno.EINVAL);
    }
    return Name.of(bytes);
  }

  /** What was found at a place; the kernel counts it as a lookup. */
  FuseEntry entry(LocalPlace place, HostStat stat) throws HostCallFailed {
    if (stat.device() != store.device()) {
      throw new HostCallFailed(Errno.EXDEV); // somebody has mounted something in the folder
    }
    LocalNode node = nodes.lookedUp(place, HostTree.id(stat));
    boolean keeps = place.parent() instanceof LocalNode;
    // A name in a replicated directory is looked up each time: a replicated one goes before it.
    return new FuseEntry(node.number(), 0, LocalAttributes.of(stat), keeps ? KEEP_NS : 0, KEEP_NS);
  }

  void lookup(LocalPlace place, FuseReply reply) throws HostCallFailed {
    byte[] name = place.name().bytes();
    HostStat stat;
    try {
      stat = tree.within(place.parent(), (directory, _) -> HostFiles.stat(directory, name));
    } catch (HostCallFailed e) {
      if (e.errno() != Errno.ENOENT) {
        throw e;
      }
      reply.negativeEntry(KEEP_NS);
      return;
    }
    reply.entry(entry(place, stat));
  }

  void getAttr(LocalNode node, FuseOperation.GetAttr request, FuseReply reply)
      throws HostCallFailed {
    boolean byHandle = (request.flags() & HANDLE_IS_VALID) != 0;
    reply.attr(LocalAttributes.of(stat(node, byHandle, request.fh())), KEEP_NS);
  }

  void statx(LocalNode node, FuseOperation.Statx request, FuseReply reply) throws HostCallFailed {
    boolean byHandle = (request.getAttrFlags() & HANDLE_IS_VALID) != 0;
    HostStat stat = stat(node, byHandle, request.fh());
    reply.statx(
        new FuseStatx(LocalAttributes.of(stat), STATX_BASIC_AND_BTIME, 0, 0, stat.bornNs()),
        KEEP_NS);
  }

  private HostStat stat(LocalNode node, boolean byHandle, FileHandle handle) throws HostCallFailed {
    if (byHandle) {
      try (OpenLocalFiles.Open opened = open.use(handle)) {
        return HostFiles.stat(opened.fd());
      }
    }
    return tree.with(node, (_, stat) -> stat);
  }

  void setAttr(LocalNode node, FuseOperation.SetAttr request, FuseReply reply)
      throws HostCallFailed {
    HostStat after =
        tree.with(
            node,
            (fd, before) -> {
              if (request.has(SetAttrValid.SIZE)) {
                truncate(fd, before, request);
              }
              boolean owned = request.has(SetAttrValid.UID) || request.has(SetAttrValid.GID);
              if (owned) {
                HostFiles.setOwner(fd, request.uid().orElse(-1), request.gid().orElse(-1));
              }
              if (request.has(SetAttrValid.MODE)) {
                HostFiles.setMode(fd, request.modeBits() & 07777);
              } else if (request.has(SetAttrValid.KILL_SUIDGID) && !owned) {
                dropSetIds(fd);
              }
              setTimes(fd, request);
              return HostFiles.stat(fd);
            });
    reply.attr(LocalAttributes.of(after), KEEP_NS);
  }

  private void truncate(int fd, HostStat before, FuseOperation.SetAttr request)
      throws HostCallFailed {
    if (request.sizeBits() < 0) {
      throw new HostCallFailed(Errno.EFBIG);
    }
    requireRegular(before);
    int writable = HostFiles.reopen(fd, HostFiles.O_WRONLY);
    try {
      HostFiles.truncate(writable, request.sizeBits());
    } finally {
      HostFiles.close(writable);
    }
  }

  private static void setTimes(int fd, FuseOperation.SetAttr request) throws HostCallFailed {
    long atime = HostFiles.KEEP;
    if (request.has(SetAttrValid.ATIME_NOW)) {
      atime = HostFiles.NOW;
    } else if (request.has(SetAttrValid.ATIME)) {
      atime = request.atimeNs();
    }
    long mtime = HostFiles.KEEP;
    if (request.has(SetAttrValid.MTIME_NOW)) {
      mtime = HostFiles.NOW;
    } else if (request.has(SetAttrValid.MTIME)) {
      mtime = request.mtimeNs();
    }
    if (atime != HostFiles.KEEP || mtime != HostFiles.KEEP) {
      HostFiles.setTimes(fd, atime, mtime);
    }
  }

  /** As the kernel does for a user without CAP_FSETID; the daemon has it. */
  private static void dropSetIds(int fd) throws HostCallFailed {
    HostStat stat = HostFiles.stat(fd);
    int mode = stat.mode() & 07777;
    int without = mode & ~SET_USER_ID;
    if ((mode & GROUP_EXECUTE) != 0) {
      without &= ~SET_GROUP_ID;
    }
    if (without != mode && stat.isRegular()) {
      HostFiles.setMode(fd, without);
    }
  }

  void readLink(LocalNode node, FuseReply reply) throws HostCallFailed {
    byte[] target = tree.with(node, (fd, _) -> HostFiles.readLink(fd));
    reply.data(target);
  }

  void statFs(LocalNode node, FuseReply reply) throws HostCallFailed {
    long[] totals = tree.with(node, (fd, _) -> HostFiles.totals(fd));
    reply.statfs(
        new FuseStatFs(
            totals[0],
            totals[1],
            totals[2],
            totals[3],
            totals[4],
            (int) totals[5],
            (int) totals[6],
            (int) totals[7]));
  }

  // Names.

  void mkDir(LocalPlace place, NewFile owner, FuseOperation.MkDir request, FuseReply reply)
      throws HostCallFailed {
    byte[] name = place.name().bytes();
    make(place, reply, owner, (directory, by) -> by.directory(directory, name, request.mode()));
  }

  void mkNod(LocalPlace place, NewFile owner, FuseOperation.MkNod request, FuseReply reply)
      throws HostCallFailed {
    byte[] name = place.name().bytes();
    make(
        place,
        reply,
        owner,
        (directory, by) -> by.node(directory, name, request.mode(), request.rdev()));
  }

  void symlink(LocalPlace place, NewFile owner, FuseOperation.Symlink request, FuseReply reply)
      throws HostCallFailed {
    byte[] name = place.name().bytes();
    make(place, reply, owner, (directory, by) -> by.link(directory, name, request.target()));
  }

  void link(LocalNode target, LocalPlace place, FuseReply reply) throws HostCallFailed {
    byte[] name = place.name().bytes();
    HostStat stat =
        tree.with(
            target,
            (fd, _) ->
                tree.within(
                    place.parent(),
                    (directory, _) -> {
                      HostFiles.link(fd, directory, name);
                      return HostFiles.stat(fd);
                    }));
    reply.entry(entry(place, stat));
  }

  /** Makes something in a directory. */
  @FunctionalInterface
  private interface Making {
    HostStat in(int directory, NewFile owner) throws HostCallFailed;
  }

  private void make(LocalPlace place, FuseReply reply, NewFile owner, Making making)
      throws HostCallFailed {
    HostStat made =
        tree.within(
            place.parent(),
            (directory, stat) -> making.in(directory, ownerIn(place.parent(), stat, owner)));
    reply.entry(entry(place, made));
  }

  /** New files in a directory with the set-group-id bit have its group. */
  private static NewFile ownerIn(LocalParent parent, HostStat directory, NewFile owner) {
    boolean passesGroup = (directory.mode() & SET_GROUP_ID) != 0;
    return parent instanceof LocalNode && passesGroup
        ? new NewFile(owner.uid(), owner.gid(), OptionalInt.of(directory.gid()))
        : owner; // of a replicated directory the caller knows it
  }

  /**
   * Makes and opens a file. If there is one by now, the kernel looks again (ESTALE), and then opens
   * it with the permissions checked.
   */
  void create(LocalPlace place, NewFile owner, FuseOperation.Create request, FuseReply reply)
      throws HostCallFailed {
    open.requireRoom();
    byte[] name = place.name().bytes();
    int flags = openFlags(request.flags());
    int fd;
    try {
      fd =
          tree.within(
              place.parent(),
              (directory, stat) ->
                  ownerIn(place.parent(), stat, owner)
                      .file(directory, name, flags, request.mode()));
    } catch (HostCallFailed e) {
      boolean mayExist = e.errno() == Errno.EEXIST && (request.flags() & O_EXCL) == 0;
      throw mayExist ? new HostCallFailed(Errno.ESTALE) : e;
    }
    opened(place, fd, reply);
  }

  void createUnnamed(
      LocalNode directory, NewFile owner, FuseOperation.Tmpfile request, FuseReply reply)
      throws HostCallFailed {
    open.requireRoom();
    int flags = openFlags(request.flags()) | (request.flags() & O_EXCL);
    int fd =
        tree.with(
            directory,
            (parent, stat) ->
                ownerIn(directory, stat, owner).unnamed(parent, flags, request.mode()));
    opened(new LocalPlace(directory, UNNAMED), fd, reply);
  }

  private void opened(LocalPlace place, int fd, FuseReply reply) throws HostCallFailed {
    FuseEntry entry;
    try {
      entry = entry(place, HostFiles.stat(fd));
    } catch (HostCallFailed e) {
      HostFiles.close(fd);
      throw e;
    }
    LocalNode node = nodes.get(entry.nodeId());
    if (node == null) {
      HostFiles.close(fd);
      throw new HostCallFailed(Errno.EIO); // it was looked up just now
    }
    reply.create(entry, open.add(node, fd), FuseFlags.OpenReply.KEEP_CACHE);
  }

  void remove(LocalPlace place, boolean ofDirectory, FuseReply reply) throws HostCallFailed {
    tree.remove(place, ofDirectory);
    reply.ok();
  }

  void rename(LocalPlace from, LocalPlace to, int flags, FuseReply reply) throws HostCallFailed {
    switch (flags) {
      case 0, FuseFlags.Rename.NOREPLACE, FuseFlags.Rename.EXCHANGE ->
          tree.rename(from, to, flags, flags == FuseFlags.Rename.EXCHANGE);
      case FuseFlags.Rename.WHITEOUT, FuseFlags.Rename.WHITEOUT | FuseFlags.Rename.NOREPLACE ->
          throw new HostCallFailed(Errno.ENOTSUP);
      default -> throw new HostCallFailed(Errno.EINVAL);
    }
    reply.ok();
  }

  // Open files.

  /**
   * O_APPEND is left to the kernel, which knows the end: it also writes mapped pages through such a
   * handle, and those have their places.
   */
  private static int openFlags(int flags) {
    return flags & (ACCESS_MODE | O_SYNC);
  }

  private static void requireRegular(HostStat stat) throws HostCallFailed {
    if (!stat.isRegular()) {
      throw new HostCallFailed(stat.isDirectory() ? Errno.EISDIR : Errno.EINVAL);
    }
  }

  void open(LocalNode node, FuseOperation.Open request, FuseReply reply) throws HostCallFailed {
    open.requireRoom();
    int opened =
        tree.with(
            node,
            (fd, stat) -> {
              requireRegular(stat); // a pipe would block, a device would act
              return HostFiles.reopen(fd, openFlags(request.flags()));
            });
    reply.open(open.add(node, opened), FuseFlags.OpenReply.KEEP_CACHE);
  }

  void openDirectory(LocalNode node, FuseReply reply) throws HostCallFailed {
    open.requireRoom();
    int opened = tree.with(node, (fd, _) -> HostFiles.reopen(fd, HostFiles.O_DIRECTORY));
    reply.open(open.add(node, opened), 0);
  }

  void release(FileHandle handle, FuseReply reply) {
    open.release(handle);
    reply.ok();
  }

  void read(FuseOperation.Read request, FuseReply reply) throws HostCallFailed {
    try (OpenLocalFiles.Open opened = open.use(request.fh())) {
      reply.data(HostFiles.read(opened.fd(), request.offset(), request.size()));
    }
  }

  void write(FuseOperation.Write request, FuseReply reply) throws HostCallFailed {
    try (OpenLocalFiles.Open opened = open.use(request.fh())) {
      int written = HostFiles.write(opened.fd(), request.offset(), request.data());
      if ((request.writeFlags() & FuseFlags.Write.KILL_SUIDGID) != 0) {
        dropSetIds(opened.fd());
      }
      reply.write(written);
    }
  }

  void fsync(FileHandle handle, int flags, FuseReply reply) throws HostCallFailed {
    try (OpenLocalFiles.Open opened = open.use(handle)) {
      HostFiles.sync(opened.fd(), (flags & DATA_ONLY) != 0);
      reply.ok();
    }
  }

  void allocate(FuseOperation.Fallocate request, FuseReply reply) throws HostCallFailed {
    try (OpenLocalFiles.Open opened = open.use(request.fh())) {
      HostFiles.allocate(opened.fd(), request.mode(), request.offset(), request.length());
      reply.ok();
    }
  }

  void seek(FuseOperation.Lseek request, FuseReply reply) throws HostCallFailed {
    try (OpenLocalFiles.Open opened = open.use(request.fh())) {
      reply.lseek(HostFiles.seek(opened.fd(), request.offset(), request.whence()));
    }
  }

  void copy(FuseOperation.CopyFileRange request, FuseReply reply) throws HostCallFailed {
    if (request.flags() != 0) {
      throw new HostCallFailed(Errno.EINVAL);
    }
    try (OpenLocalFiles.Open from = open.use(request.fh());
        OpenLocalFiles.Open to = open.use(request.targetFh())) {
      reply.copied(
          HostFiles.copy(
              from.fd(), request.offset(), to.fd(), request.targetOffset(), request.length()));
    }
  }

  /** The rows of an open directory from an offset on, which the caller converts. */
  List<HostFiles.Row> rows(FileHandle handle, long offset) throws HostCallFailed {
    try (OpenLocalFiles.Open opened = open.use(handle)) {
      synchronized (opened) {
        return HostFiles.list(opened.fd(), offset);
      }
    }
  }

  /** What a name in an open directory leads to; the kernel counts it as a lookup. */
  FuseEntry entryIn(FileHandle handle, LocalNode directory, Name name) throws HostCallFailed {
    try (OpenLocalFiles.Open opened = open.use(handle)) {
      return entry(new LocalPlace(directory, name), HostFiles.stat(opened.fd(), name.bytes()));
    }
  }

  /** The number of a node, as stat shows it. */
  InodeNo inode(LocalNode node) {
    return LocalAttributes.inode(node.host().inode());
  }

  // Extended attributes.

  private static void requireNamespace(byte[] name) throws HostCallFailed {
    String text = new String(name, StandardCharsets.ISO_8859_1);
    if (NAMESPACES.stream().noneMatch(text::startsWith)) {
      throw new HostCallFailed(Errno.ENOTSUP);
    }
  }

  void getXattr(LocalNode node, FuseOperation.GetXattr request, FuseReply reply)
      throws HostCallFailed {
    requireNamespace(request.name());
    byte[] value =
        tree.with(node, (fd, _) -> HostFiles.attribute(fd, request.name(), MAX_XATTRS_BYTES));
    answer(value, request.size(), reply);
  }

  void listXattr(LocalNode node, FuseOperation.ListXattr request, FuseReply reply)
      throws HostCallFailed {
    byte[] names = tree.with(node, (fd, _) -> HostFiles.attributes(fd, MAX_XATTRS_BYTES));
    answer(names, request.size(), reply);
  }

  private static void answer(byte[] value, int most, FuseReply reply) throws HostCallFailed {
    if (most == 0) {
      reply.xattrSize(value.length);
    } else if (value.length > most) {
      throw new HostCallFailed(Errno.ERANGE);
    } else {
      reply.data(value);
    }
  }

  void setXattr(LocalNode node, FuseOperation.SetXattr request, FuseReply reply)
      throws HostCallFailed {
    requireNamespace(request.name());
    var _ =
        tree.with(
            node,
            (fd, _) -> {
              HostFiles.setAttribute(fd, request.name(), request.value(), request.flags());
              return true;
            });
    reply.ok();
  }

  void removeXattr(LocalNode node, FuseOperation.RemoveXattr request, FuseReply reply)
      throws HostCallFailed {
    requireNamespace(request.name());
    var _ =
        tree.with(
            node,
            (fd, _) -> {
              HostFiles.removeAttribute(fd, request.name());
              return true;
            });
    reply.ok();
  }
}

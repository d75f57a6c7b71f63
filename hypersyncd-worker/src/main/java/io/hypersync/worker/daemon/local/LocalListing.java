package io.hypersync.worker.daemon.local;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.InodeNo;
import io.hypersync.model.id.Name;
import io.hypersync.worker.fuse.dev.HostCallFailed;
import io.hypersync.worker.fuse.dev.HostFiles;
import io.hypersync.worker.fuse.protocol.DirectoryBuffer;
import io.hypersync.worker.fuse.protocol.FileHandle;
import io.hypersync.worker.fuse.protocol.FuseOperation;
import io.hypersync.worker.fuse.session.FuseReply;
import io.hypersync.worker.local.LocalNode;
import io.hypersync.worker.local.LocalParent;
import io.hypersync.worker.local.LocalPlace;
import java.util.List;
import java.util.function.Supplier;

/** Answers requests for rows of local directories, and for the local rows of replicated ones. */
final class LocalListing {
  private final LocalRequests requests;
  private final HostTree tree;

  LocalListing(LocalRequests requests, HostTree tree) {
    this.requests = requests;
    this.tree = tree;
  }

  /** Adds a row; false if it does not fit. */
  @FunctionalInterface
  private interface Adding {
    boolean add(HostFiles.Row row) throws HostCallFailed;
  }

  /**
   * READDIR of a local directory.
   *
   * @param above the number of the directory above it
   */
  void read(
      LocalNode directory, FuseOperation.ReadDir request, Supplier<InodeNo> above, FuseReply reply)
      throws HostCallFailed {
    DirectoryBuffer.Plain rows = new DirectoryBuffer.Plain(request.size());
    fill(
        request.fh(),
        request.offset(),
        rows,
        row -> rows.add(inode(directory, row, above), row.next(), row.type(), row.name()));
    reply.directory(rows);
  }

  /** READDIRPLUS of a local directory. */
  void readPlus(
      LocalNode directory,
      FuseOperation.ReadDirPlus request,
      Supplier<InodeNo> above,
      FuseReply reply)
      throws HostCallFailed {
    DirectoryBuffer.Plus rows = new DirectoryBuffer.Plus(request.size());
    fill(
        request.fh(),
        request.offset(),
        rows,
        row -> {
          if (LocalStore.isDot(row.name())) {
            return rows.addNameOnly(
                inode(directory, row, above), row.next(), row.type(), row.name());
          }
          if (!rows.fits(row.name())) {
            return false;
          }
          try {
            Name name = LocalRequests.name(row.name());
            return rows.add(
                requests.entryIn(request.fh(), directory, name), row.next(), row.name());
          } catch (HostCallFailed e) {
            return skipped(e); // removed meanwhile, or a mount
          }
        });
    reply.directory(rows);
  }

  private static boolean skipped(HostCallFailed e) throws HostCallFailed {
    if (e.errno() == Errno.ENOENT || e.errno() == Errno.EXDEV) {
      return true;
    }
    throw e;
  }

  private InodeNo inode(LocalNode directory, HostFiles.Row row, Supplier<InodeNo> above) {
    if (!LocalStore.isDot(row.name())) {
      return LocalAttributes.inode(row.inode());
    }
    return row.name().length == 1 ? requests.inode(directory) : above.get();
  }

  /**
   * Adds rows until one does not fit. An empty answer would mean the end, so it goes on until then.
   */
  private void fill(FileHandle handle, long offset, DirectoryBuffer rows, Adding adding)
      throws HostCallFailed {
    List<HostFiles.Row> some = requests.rows(handle, offset);
    while (!some.isEmpty()) {
      for (HostFiles.Row row : some) {
        if (!adding.add(row)) {
          return;
        }
      }
      if (!rows.isEmpty()) {
        return;
      }
      some = requests.rows(handle, some.getLast().next());
    }
  }

  /**
   * The local rows of a replicated directory, from the n-th on.
   *
   * @param base cookies are counted from there
   */
  void append(
      LocalParent.Replicated parent,
      List<HostFiles.Row> local,
      int from,
      long base,
      DirectoryBuffer buffer)
      throws HostCallFailed {
    for (int i = from; i < local.size(); i++) {
      HostFiles.Row row = local.get(i);
      long cookie = base + i + 1;
      boolean fitted =
          switch (buffer) {
            case DirectoryBuffer.Plain rows ->
                rows.add(LocalAttributes.inode(row.inode()), cookie, row.type(), row.name());
            case DirectoryBuffer.Plus rows -> add(parent, row, cookie, rows);
          };
      if (!fitted) {
        return;
      }
    }
  }

  private boolean add(
      LocalParent.Replicated parent, HostFiles.Row row, long cookie, DirectoryBuffer.Plus rows)
      throws HostCallFailed {
    if (!rows.fits(row.name())) {
      return false;
    }
    try {
      LocalPlace place = new LocalPlace(parent, LocalRequests.name(row.name()));
      return rows.add(
          tree.within(
              parent,
              (directory, _) -> requests.entry(place, HostFiles.stat(directory, row.name()))),
          cookie,
          row.name());
    } catch (HostCallFailed e) {
      return skipped(e);
    }
  }
}

package io.hypersync.worker.fuse.dev;

import io.hypersync.model.errno.Errno;
import io.hypersync.runtime.file.SharedDirectories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directory on which a workspace will be mounted, from before the worker joins until after its
 * mount is gone. Joining can take long, so what would prevent the mount is detected before it, and
 * writes into the bare directory are prevented meanwhile:
 *
 * <pre>
 * found                         until it is mounted                   afterwards
 * nothing                       nothing: writes fail with ENOENT      created, mounted, removed
 * an empty directory            immutable, where that is possible     mounted, and left there
 * the mount of a killed worker  stays: writes fail with ENOTCONN      replaced
 * </pre>
 *
 * <p>Thread-safe: a signal may close it while it is being mounted.
 */
public final class MountFolder implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(MountFolder.class);
  private static final Duration PROBE_LIMIT = Duration.ofSeconds(2);

  /** Most dead mounts on top of each other that are removed. */
  private static final int MAX_DEAD = 16;

  private final Path point;
  private final String source;
  private boolean isThere;

  /** Whether the workspace is mounted there, by another process that has ended. */
  private boolean taken;

  private boolean made;
  private boolean closed;
  private @Nullable FolderCover cover;

  private MountFolder(Path point, String source) {
    this.point = point;
    this.source = source;
  }

  /**
   * Checks whether the workspace can be mounted at a path; a dead mount of the same workspace is no
   * obstacle.
   *
   * @param source the mount's source in the mount table; a dead mount with this source is of the
   *     same workspace
   * @throws MountException with advice: ENOTDIR, ENOTEMPTY, EBUSY (something is mounted there),
   *     ENOTCONN (a dead mount of another kind), EACCES (the directory cannot be created)
   */
  public static MountFolder claim(Path requested, String source) throws IOException {
    Path point = MountPoint.resolve(requested);
    MountFolder folder = new MountFolder(point, source);
    MountTable table = MountTable.read();
    if (folder.isDeadAndOurs(table)) {
      folder.refuseIfMountedInside(table);
      return folder;
    }
    Optional<MountTable.Mount> mounted = table.at(point.toString());
    if (mounted.isPresent()) {
      throw stat(point) == -Errno.ENOTCONN.code()
          ? MountProblems.dead(point, point.toString())
          : MountProblems.busy(point, mounted.get());
    }
    if (Files.notExists(point)) {
      refuseIfItCannotBeMade(point);
      return folder;
    }
    var _ = MountPoint.check(requested);
    folder.isThere = true;
    return folder;
  }

  /**
   * The directory of a mount that another process has made, and that this one takes over. Nothing
   * looks at it: nobody answers there.
   *
   * @param point absolute, without symbolic links
   * @param made whether it was made for the mount
   */
  public static MountFolder taken(Path point, String source, boolean made) {
    MountFolder folder = new MountFolder(point, source);
    folder.taken = true;
    folder.made = made;
    return folder;
  }

  /**
   * Covers the directory, if it exists, until it is mounted, so that nothing is written into it
   * unnoticed. The caller must ensure that {@link #close} follows, also if a signal ends the
   * process.
   *
   * @throws MountException if the directory has been filled in the meantime
   */
  public synchronized void cover() throws IOException {
    if (isThere && !closed && cover == null) {
      cover = FolderCover.put(MountPoint.check(point));
    }
  }

  /** Whether the directory was made for the mount. */
  public synchronized boolean isMade() {
    return made;
  }

  /** The mount point: absolute, without symbolic links. */
  public Path point() {
    return point;
  }

  /**
   * Creates the directory, or removes a dead mount; to be called right before mounting.
   *
   * @throws MountException if it cannot be mounted after all
   */
  public synchronized void prepare() throws IOException {
    if (taken) {
      return;
    }
    clearDead();
    if (Files.notExists(point)) {
      SharedDirectories.make(point);
      made = true;
    }
  }

  /** The workspace is mounted, so the directory below is out of reach: removes the cover. */
  public synchronized void mounted() {
    FolderCover covering = cover;
    cover = null;
    if (covering != null) {
      covering.close();
    }
  }

  /**
   * Restores what was found, once the mount is gone. A created directory that is not empty stays.
   */
  @Override
  public synchronized void close() {
    closed = true;
    mounted();
    if (made) {
      made = false;
      try {
        if (MountTable.read().at(point.toString()).isEmpty()) {
          Files.deleteIfExists(point);
        }
      } catch (IOException failure) {
        LOG.warn("{} was made for the mount, and stays: {}", point, failure.toString());
      }
    }
  }

  private void clearDead() throws IOException {
    for (int i = 0; i < MAX_DEAD; i++) {
      MountTable table = MountTable.read();
      if (!isDeadAndOurs(table)) {
        return;
      }
      refuseIfMountedInside(table);
      int result =
          Syscalls.umount2(point.toString(), Syscalls.UMOUNT_NOFOLLOW | Syscalls.MNT_DETACH);
      if (result < 0 && result != -Errno.EINVAL.code()) {
        throw MountProblems.unmount(point, Errno.of(-result));
      }
      LOG.info("took the mount at {} away, whose worker had been killed", point);
    }
  }

  /**
   * Only if the kernel says that the daemon is gone: one that is slow or stopped may have mutations
   * under way.
   */
  private boolean isDeadAndOurs(MountTable table) {
    Optional<MountTable.Mount> mounted = table.at(point.toString());
    return mounted.isPresent()
        && mounted.get().type().equals(FuseMount.TYPE)
        && mounted.get().source().equals(source)
        && stat(point) == -Errno.ENOTCONN.code();
  }

  private void refuseIfMountedInside(MountTable table) throws MountException {
    List<Path> inside = table.inside(point);
    if (!inside.isEmpty()) {
      throw MountProblems.deadWithOthersInside(point, inside);
    }
  }

  private static void refuseIfItCannotBeMade(Path point) throws IOException {
    Path above = point.getParent();
    while (above != null && Files.notExists(above)) {
      above = above.getParent();
    }
    if (above == null || !Files.isDirectory(above)) {
      throw MountProblems.notADirectory(above == null ? point : above);
    }
    try {
      Files.delete(Files.createTempDirectory(above, ".hypersync-"));
    } catch (IOException failure) {
      throw MountProblems.cannotBeMade(point, above);
    }
  }

  /** 0, or the negated errno; EAGAIN after 2 s without an answer, which leaves a thread hanging. */
  private static int stat(Path point) {
    CompletableFuture<Integer> answer = new CompletableFuture<>();
    Thread.ofPlatform()
        .daemon()
        .name("mount-probe")
        .start(() -> answer.complete(Syscalls.statNow(point.toString())));
    try {
      return answer.get(PROBE_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException hanging) {
      return -Errno.EAGAIN.code();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return -Errno.EAGAIN.code();
    } catch (ExecutionException impossible) {
      throw new IllegalStateException(impossible);
    }
  }
}

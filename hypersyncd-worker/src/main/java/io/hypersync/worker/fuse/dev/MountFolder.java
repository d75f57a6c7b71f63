package io.hypersync.worker.fuse.dev;

import io.hypersync.model.errno.Errno;
import io.hypersync.wire.file.OpenFolders;
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
 * The folder on which a workspace will be mounted, from before the worker joins until after its
 * mount is gone. Joining can take long, so what would keep it from being mounted is found out
 * before, and nobody is to write into the bare folder meanwhile:
 *
 * <pre>
 * found                         until it is mounted                   afterwards
 * nothing                       nothing: whoever writes is told so    made, mounted, taken away
 * an empty folder               immutable, where that is possible     mounted, and left there
 * the mount of a killed worker  stays: whoever writes gets ENOTCONN   replaced
 * </pre>
 *
 * <p>Thread-safe: a signal may end it while it is being mounted.
 */
public final class MountFolder implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(MountFolder.class);
  private static final Duration PROBE_LIMIT = Duration.ofSeconds(2);

  /** How many dead mounts may lie over each other. */
  private static final int MAX_DEAD = 16;

  private final Path point;
  private final String source;
  private boolean isThere;
  private boolean made;
  private boolean closed;
  private @Nullable FolderCover cover;

  private MountFolder(Path point, String source) {
    this.point = point;
    this.source = source;
  }

  /**
   * Looks whether the workspace can be mounted there.
   *
   * @param source what the mount will be called in the mount table; a dead mount that is called so
   *     is out of the way, since it is of the same workspace
   * @throws MountException with advice: ENOTDIR, ENOTEMPTY, EBUSY (something is mounted there),
   *     ENOTCONN (a dead mount of another kind), EACCES (it cannot be made)
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
   * Covers the folder, if there was one, until it is mounted: nobody writes into it unnoticed.
   * Whoever calls this sees to it that {@link #close} follows, also when a signal ends the process.
   *
   * @throws MountException if somebody has filled it meanwhile
   */
  public synchronized void cover() throws IOException {
    if (isThere && !closed && cover == null) {
      cover = FolderCover.put(MountPoint.check(point));
    }
  }

  /** The path that the kernel will know the mount by. */
  public Path point() {
    return point;
  }

  /**
   * Makes the folder, or takes a dead mount out of the way: it is to be mounted at once.
   *
   * @throws MountException if it cannot be mounted after all
   */
  public synchronized void prepare() throws IOException {
    clearDead();
    if (Files.notExists(point)) {
      OpenFolders.make(point);
      made = true;
    }
  }

  /** The workspace is mounted: what is below cannot be reached any more. */
  public synchronized void mounted() {
    FolderCover covering = cover;
    cover = null;
    if (covering != null) {
      covering.close();
    }
  }

  /** Leaves it as it was found; the mount is gone. A folder that somebody has filled stays. */
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

  /** Only if the kernel says so: a worker that is slow, or stopped, may have unsaved business. */
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

  /** Zero, or the errno negated; EAGAIN if nobody answers: then a thread of this process hangs. */
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

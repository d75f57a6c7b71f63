package io.hypersync.cli.daemons;

import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.file.FileProblems;
import io.hypersync.worker.fuse.dev.FuseMountOptions;
import io.hypersync.worker.fuse.dev.MountTable;
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

/** The HyperSync mounts of this machine, from the kernel's mount table. */
public final class Mounts {
  private static final String TYPE = "fuse.hypersync";
  private static final Duration PROBE_LIMIT = Duration.ofSeconds(2);

  private Mounts() {}

  /** Whether a mount's daemon answers. */
  public enum Health {
    ALIVE,
    /** It has ended; every call fails with ENOTCONN. */
    DEAD,
    /** It has not answered for {@link #PROBE_LIMIT}. */
    HANGING
  }

  /**
   * Returns all HyperSync mount points; reads the mount table only and does not touch the mounts.
   */
  public static List<Path> all() {
    return table().mounts().stream()
        .filter(mount -> mount.type().equals(TYPE))
        .map(mount -> Path.of(mount.point()))
        .toList();
  }

  /** Returns those of {@link #all} that are of a state of the past. */
  public static List<Path> ofThePast() {
    return table().mounts().stream()
        .filter(mount -> mount.type().equals(TYPE) && FuseMountOptions.isPast(mount.source()))
        .map(mount -> Path.of(mount.point()))
        .toList();
  }

  private static MountTable table() {
    try {
      return MountTable.read();
    } catch (IOException failure) {
      throw new UserError("cannot read the list of mounts: " + FileProblems.describe(failure), "");
    }
  }

  /**
   * Returns the device of the filesystem mounted there, as in {@code mountinfo}; empty if none is.
   */
  public static Optional<String> device(Path mount) {
    return table().at(mount.toString()).map(MountTable.Mount::device);
  }

  /** Returns the mounts inside a mount, which would be detached together with it. */
  public static List<Path> inside(Path mount) {
    return table().inside(mount);
  }

  /**
   * Asks a mount for its free space; blocks for at most {@link #PROBE_LIMIT}. statfs is never
   * answered from the kernel's caches, whereas attributes of the root are, long after the daemon
   * has ended.
   */
  public static Health probe(Path mount) {
    CompletableFuture<Health> answer = new CompletableFuture<>();
    // A daemon thread: one that hangs in the kernel must not keep this process from ending.
    Thread.ofPlatform().daemon().start(() -> answer.complete(touch(mount)));
    try {
      return answer.get(PROBE_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException hanging) {
      return Health.HANGING;
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return Health.HANGING;
    } catch (ExecutionException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private static Health touch(Path mount) {
    try {
      var _ = Files.getFileStore(mount).getTotalSpace();
      return Health.ALIVE;
    } catch (IOException failure) {
      return Health.DEAD;
    }
  }
}

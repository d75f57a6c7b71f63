package io.hypersync.cli.daemons;

import io.hypersync.wire.admin.UserError;
import io.hypersync.wire.file.FileProblems;
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

/** The HyperSync mounts of this machine, as the kernel lists them. */
public final class Mounts {
  private static final String TYPE = "fuse.hypersync";
  private static final Duration PROBE_LIMIT = Duration.ofSeconds(2);

  private Mounts() {}

  /** What a mount's daemon does. */
  public enum Health {
    /** It answers. */
    ALIVE,
    /** It is gone, and the kernel says ENOTCONN to everyone. */
    DEAD,
    /** It has not answered for two seconds. */
    HANGING
  }

  /** Where HyperSync is mounted; asking does not touch the mounts. */
  public static List<Path> all() {
    return table().mounts().stream()
        .filter(mount -> mount.type().equals(TYPE))
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

  /** The device of the filesystem that is mounted there, as {@code mountinfo} has it. */
  public static Optional<String> device(Path mount) {
    return table().at(mount.toString()).map(MountTable.Mount::device);
  }

  /** What is mounted inside a mount: it would go with it. */
  public static List<Path> inside(Path mount) {
    return table().inside(mount);
  }

  /**
   * Asks a mount how full it is: that no kernel answers from what it has cached, as it does for the
   * attributes of the root long after the daemon is gone.
   */
  public static Health probe(Path mount) {
    CompletableFuture<Health> answer = new CompletableFuture<>();
    // A thread that hangs in the kernel must not keep the process from ending.
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

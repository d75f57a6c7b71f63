package io.hypersync.cli.doctor;

import com.fasterxml.jackson.databind.JsonNode;
import io.hypersync.cli.Version;
import io.hypersync.cli.daemons.Daemons;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.file.FileProblems;
import io.hypersync.worker.fuse.dev.MountTable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/**
 * Looks at this host: asks daemons over their sockets, reads /proc and the kernel's table of
 * mounts. No mount is touched, so none that hangs can hold it up.
 */
public final class Probes {
  private static final Path PROC = Path.of("/proc");
  private static final Path GROUPS = Path.of("/sys/fs/cgroup");

  /** A disk that does not answer for so long is left out. */
  private static final Duration DISK_LIMIT = Duration.ofMillis(500);

  private static final Set<PosixFilePermission> OF_OTHERS =
      Set.of(
          PosixFilePermission.GROUP_READ,
          PosixFilePermission.GROUP_WRITE,
          PosixFilePermission.OTHERS_READ,
          PosixFilePermission.OTHERS_WRITE);

  private Probes() {}

  /** Looks at everything. */
  static Observed look(Daemons daemons, Map<String, String> environment) {
    JsonNode status = daemons.status();
    List<Observed.DaemonProcess> processes = new ArrayList<>();
    List<Path> readable = new ArrayList<>();
    for (String kind : List.of("leaders", "workers", "standbys")) {
      for (JsonNode daemon : status.path(kind)) {
        long pid = daemon.path("pid").asLong();
        String name =
            daemon.path("role").asText()
                + " "
                + daemon.path("worker_id").asText(daemon.path("workspace_name").asText());
        stateDir(pid)
            .ifPresent(
                directory -> {
                  processes.add(process(name, pid, directory));
                  readable.addAll(readableByOthers(directory));
                });
      }
    }
    return new Observed(
        status,
        Version.text(),
        mounts(),
        processes,
        readable.stream().distinct().toList(),
        Files.exists(Path.of("/dev/fuse")),
        number(group().resolve("memory.max")),
        number(group().resolve("memory.current")),
        environment);
  }

  private static List<Observed.Mounted> mounts() {
    try {
      return MountTable.read().mounts().stream()
          .map(mount -> new Observed.Mounted(mount.point(), mount.type()))
          .toList();
    } catch (IOException e) {
      throw new UserError("cannot read the list of mounts: " + FileProblems.describe(e), "");
    }
  }

  /** A daemon holds a lock in its state directory, so the kernel knows where that is. */
  private static Optional<Path> stateDir(long pid) {
    try (Stream<Path> descriptors = Files.list(PROC.resolve(Long.toString(pid)).resolve("fd"))) {
      for (Path descriptor : (Iterable<Path>) descriptors::iterator) {
        Optional<Path> target = target(descriptor);
        if (target.isPresent() && target.get().endsWith("LOCK")) {
          return Optional.ofNullable(target.get().getParent());
        }
      }
    } catch (IOException notOurs) {
      return Optional.empty(); // of another user, or gone
    }
    return Optional.empty();
  }

  private static Optional<Path> target(Path descriptor) {
    try {
      Path target = Files.readSymbolicLink(descriptor);
      return target.isAbsolute() ? Optional.of(target) : Optional.empty();
    } catch (IOException closed) {
      return Optional.empty();
    }
  }

  private static Observed.DaemonProcess process(String name, long pid, Path stateDir) {
    long[] disk = disk(stateDir);
    Path process = PROC.resolve(Long.toString(pid));
    long open = 0;
    try (Stream<Path> descriptors = Files.list(process.resolve("fd"))) {
      open = descriptors.count();
    } catch (IOException gone) {
      // It is left at 0.
    }
    return new Observed.DaemonProcess(
        name, stateDir, disk[0], disk[1], open, openFilesLimit(process));
  }

  /** Size and free bytes of a directory's filesystem; zeros if it does not answer. */
  private static long[] disk(Path directory) {
    CompletableFuture<long[]> answer = new CompletableFuture<>();
    Thread _ =
        Thread.ofPlatform()
            .daemon()
            .start(
                () -> {
                  try {
                    FileStore store = Files.getFileStore(directory);
                    answer.complete(new long[] {store.getTotalSpace(), store.getUsableSpace()});
                  } catch (IOException e) {
                    answer.complete(new long[2]);
                  }
                });
    try {
      return answer.get(DISK_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException | ExecutionException silent) {
      return new long[2];
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new long[2];
    }
  }

  private static long openFilesLimit(Path process) {
    try {
      for (String line : Files.readAllLines(process.resolve("limits"))) {
        if (line.startsWith("Max open files")) {
          return Long.parseLong(
              line.substring("Max open files".length()).strip().split(" +", 2)[0]);
        }
      }
    } catch (IOException | NumberFormatException unknown) {
      return 0;
    }
    return 0;
  }

  /** The directory itself, and what is right in it: what is below is behind those. */
  private static List<Path> readableByOthers(Path directory) {
    if (!isReadableByOthers(directory)) {
      return List.of(); // nobody gets at what is in it
    }
    return List.of(directory);
  }

  private static boolean isReadableByOthers(Path path) {
    try {
      return !Collections.disjoint(
          Files.getPosixFilePermissions(path, LinkOption.NOFOLLOW_LINKS), OF_OTHERS);
    } catch (IOException gone) {
      return false;
    }
  }

  private static Path group() {
    try {
      for (String line : Files.readAllLines(PROC.resolve("self/cgroup"))) {
        if (line.startsWith("0::/")) {
          return GROUPS.resolve(line.substring("0::/".length()));
        }
      }
    } catch (IOException unknown) {
      return GROUPS;
    }
    return GROUPS;
  }

  /** The number in a file of the kernel; 0 if there is none, or it is "max". */
  private static long number(Path file) {
    try {
      return Long.parseLong(Files.readString(file, StandardCharsets.US_ASCII).strip());
    } catch (IOException | NumberFormatException none) {
      return 0;
    }
  }
}

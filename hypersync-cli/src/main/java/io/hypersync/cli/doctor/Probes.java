package io.hypersync.cli.doctor;

import com.fasterxml.jackson.databind.JsonNode;
import io.hypersync.cli.Version;
import io.hypersync.cli.daemons.Daemons;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.file.FileProblems;
import io.hypersync.worker.fuse.dev.MountTable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
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

  /** Disks that were asked and have not answered. */
  private static final Set<Path> ASKED = ConcurrentHashMap.newKeySet();

  private Probes() {}

  /** Looks at everything. */
  static Observed look(Daemons daemons, Map<String, String> environment) {
    JsonNode status = daemons.status();
    List<Observed.DaemonProcess> processes = new ArrayList<>();
    Secrets secrets = new Secrets();
    List<String> unseen = new ArrayList<>();
    Set<Long> seen = new HashSet<>();
    for (String kind : List.of("leaders", "workers", "standbys")) {
      for (JsonNode daemon : status.path(kind)) {
        long pid = daemon.path("pid").asLong();
        String name =
            daemon.path("role").asText()
                + " "
                + daemon.path("worker_id").asText(daemon.path("workspace_name").asText());
        if (seen.add(pid)) { // a leader with a mount is two daemons in one process
          try {
            List<Path> directories = stateDirs(pid);
            for (Path directory : directories) {
              boolean isFirst = directory.equals(directories.getFirst());
              processes.add(process(name, pid, directory, isFirst));
            }
            secrets(name, pid, directories, secrets, unseen);
          } catch (IOException notOurs) {
            unseen.add(name + ", process " + pid + ": its disk, descriptors and secrets");
          }
        }
      }
    }
    return new Observed(
        status,
        Version.text(),
        mounts(),
        processes,
        List.copyOf(secrets.open()),
        unseen,
        Files.exists(Path.of("/dev/fuse")),
        number(group().resolve("memory.max")),
        number(group().resolve("memory.current")),
        environment);
  }

  private static List<Observed.Mounted> mounts() {
    try {
      return MountTable.read().mounts().stream()
          .map(mount -> new Observed.Mounted(mount.device(), mount.point(), mount.type()))
          .toList();
    } catch (IOException e) {
      throw new UserError("cannot read the list of mounts: " + FileProblems.describe(e), "");
    }
  }

  /**
   * The state directories of a process: it holds a lock in each, so the kernel knows where they
   * are. Stores inside of one have locks of their own, and do not count.
   *
   * @throws IOException if that cannot be looked at: the process is another user's, or gone
   */
  static List<Path> stateDirs(long pid) throws IOException {
    List<Path> locked = new ArrayList<>();
    try (Stream<Path> descriptors = Files.list(PROC.resolve(Long.toString(pid)).resolve("fd"))) {
      for (Path descriptor : (Iterable<Path>) descriptors::iterator) {
        target(descriptor)
            .filter(target -> target.endsWith("LOCK"))
            .flatMap(target -> Optional.ofNullable(target.getParent()))
            .filter(directory -> !locked.contains(directory))
            .ifPresent(locked::add);
      }
    } catch (UncheckedIOException gone) {
      throw gone.getCause();
    }
    List<Path> outermost =
        locked.stream()
            .filter(
                directory ->
                    locked.stream()
                        .noneMatch(
                            other -> !other.equals(directory) && directory.startsWith(other)))
            .toList();
    if (outermost.isEmpty()) {
      throw new NoSuchFileException("the state directory of process " + pid);
    }
    return outermost;
  }

  /** Looks at a daemon's secrets, as far as the disks answer. */
  private static void secrets(
      String name, long pid, List<Path> directories, Secrets all, List<String> unseen)
      throws IOException {
    DaemonArguments arguments = DaemonArguments.of(PROC.resolve(Long.toString(pid)));
    Optional<Secrets> found =
        within(
            directories.getFirst(),
            () -> {
              Secrets secrets = new Secrets();
              secrets.look(directories, arguments);
              return secrets;
            });
    found.ifPresent(all::add);
    String why = name + ": whether others can read ";
    found.ifPresentOrElse(
        looked -> looked.unseen().forEach(what -> unseen.add(why + what)),
        () -> unseen.add(why + directories.getFirst() + "; the disk does not answer"));
  }

  private static Optional<Path> target(Path descriptor) {
    try {
      Path target = Files.readSymbolicLink(descriptor);
      return target.isAbsolute() ? Optional.of(target) : Optional.empty();
    } catch (IOException closed) {
      return Optional.empty();
    }
  }

  private static Observed.DaemonProcess process(
      String name, long pid, Path stateDir, boolean isFirst) {
    long[] disk =
        within(
                stateDir,
                () -> {
                  FileStore store = Files.getFileStore(stateDir);
                  return new long[] {store.getTotalSpace(), store.getUsableSpace()};
                })
            .orElse(new long[2]);
    Path process = PROC.resolve(Long.toString(pid));
    long open = 0;
    try (Stream<Path> descriptors = Files.list(process.resolve("fd"))) {
      open = descriptors.count();
    } catch (IOException | UncheckedIOException gone) {
      // It is left at 0.
    }
    return new Observed.DaemonProcess(
        name, stateDir, disk[0], disk[1], open, isFirst ? openFilesLimit(process) : 0);
  }

  /**
   * Asks a disk on a thread of its own; empty if it fails, or does not answer in time. While it
   * hangs it is not asked again, since each thread that waits for it stays.
   *
   * @param disk a directory there
   */
  static <T> Optional<T> within(Path disk, Callable<T> question) {
    if (!ASKED.add(disk)) {
      return Optional.empty();
    }
    CompletableFuture<T> answer = new CompletableFuture<>();
    Thread _ =
        Thread.ofPlatform()
            .daemon()
            .start(
                () -> {
                  try {
                    T found = question.call();
                    var _ = ASKED.remove(disk); // before it may be asked the next question
                    answer.complete(found);
                  } catch (Exception | OutOfMemoryError e) {
                    var _ = ASKED.remove(disk);
                    answer.completeExceptionally(e);
                  }
                });
    try {
      return Optional.of(answer.get(DISK_LIMIT.toMillis(), TimeUnit.MILLISECONDS));
    } catch (TimeoutException | ExecutionException silent) {
      return Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
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

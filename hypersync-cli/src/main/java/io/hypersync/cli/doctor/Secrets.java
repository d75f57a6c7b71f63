package io.hypersync.cli.doctor;

import io.hypersync.runtime.admin.UserError;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Which secrets of daemons others than their owners can get at. Not thread-safe. */
final class Secrets {
  private static final Set<PosixFilePermission> PASSING =
      Set.of(PosixFilePermission.GROUP_EXECUTE, PosixFilePermission.OTHERS_EXECUTE);
  private static final Set<PosixFilePermission> READING =
      Set.of(
          PosixFilePermission.GROUP_READ,
          PosixFilePermission.GROUP_WRITE,
          PosixFilePermission.OTHERS_READ,
          PosixFilePermission.OTHERS_WRITE);

  /** A scraper reads the token of metrics, perhaps from the same file, as a member of its group. */
  private static final Set<PosixFilePermission> READING_OUTSIDE_OF_GROUP =
      Set.of(
          PosixFilePermission.GROUP_WRITE,
          PosixFilePermission.OTHERS_READ,
          PosixFilePermission.OTHERS_WRITE);

  private static final List<String> OF_WORKSPACE = List.of("ca", "leader", "tokens");

  private final Set<Path> open = new LinkedHashSet<>();
  private final Set<String> unseen = new LinkedHashSet<>();

  /** Files that others can read or change, and directories in which they get at something. */
  Set<Path> open() {
    return open;
  }

  /** What could not be looked at. */
  Set<String> unseen() {
    return unseen;
  }

  /** Adds what another one has found. */
  void add(Secrets other) {
    open.addAll(other.open);
    unseen.addAll(other.unseen);
  }

  /**
   * Looks at the secrets of one process.
   *
   * @param stateDirs its state directories
   */
  void look(List<Path> stateDirs, DaemonArguments arguments) {
    List<Path> roots = new ArrayList<>(arguments.paths("--dir"));
    for (Path directory : stateDirs) {
      look(directory, READING);
      Path parent = directory.getParent();
      if (parent != null && Files.exists(parent.resolve("workspace.toml"))) {
        roots.add(parent);
      }
    }
    for (Path root : roots) {
      OF_WORKSPACE.forEach(folder -> look(root.resolve(folder), READING));
    }
    for (String option : List.of("--token", "--rejoin")) {
      arguments.paths(option).forEach(token -> look(token, READING));
    }
    try {
      arguments.metricsToken(roots).ifPresent(file -> look(file, READING_OUTSIDE_OF_GROUP));
    } catch (UserError unreadable) {
      unseen.add("the token of its metrics: " + unreadable.message());
    }
  }

  private void look(Path path, Set<PosixFilePermission> reading) {
    try {
      if (isOpen(path, reading) && isReachable(path.toRealPath())) {
        open.add(path);
      }
    } catch (NoSuchFileException none) {
      // It has no such secret.
    } catch (IOException | UncheckedIOException noRight) {
      unseen.add(path.toString());
    }
  }

  private static boolean isOpen(Path path, Set<PosixFilePermission> reading) throws IOException {
    PosixFileAttributes found = Files.readAttributes(path, PosixFileAttributes.class);
    if (!found.isDirectory()) {
      return !Collections.disjoint(found.permissions(), reading);
    }
    if (Collections.disjoint(found.permissions(), PASSING)) {
      return false; // names alone tell nothing
    }
    if (!Collections.disjoint(found.permissions(), READING)) {
      return true;
    }
    try (Stream<Path> inside = Files.list(path)) { // whoever knows a name gets at it
      for (Path each : (Iterable<Path>) inside::iterator) {
        if (isOpenItself(each)) {
          return true;
        }
      }
    }
    return false;
  }

  private static boolean isOpenItself(Path path) throws IOException {
    try {
      PosixFileAttributes found = Files.readAttributes(path, PosixFileAttributes.class);
      return !Collections.disjoint(found.permissions(), found.isDirectory() ? PASSING : READING);
    } catch (NoSuchFileException gone) {
      return false;
    }
  }

  /** Whether others get through all directories above a path. */
  private static boolean isReachable(Path real) throws IOException {
    for (Path above = real.getParent(); above != null; above = above.getParent()) {
      if (Collections.disjoint(Files.getPosixFilePermissions(above), PASSING)) {
        return false;
      }
    }
    return true;
  }
}

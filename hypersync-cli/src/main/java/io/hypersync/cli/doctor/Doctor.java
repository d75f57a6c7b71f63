package io.hypersync.cli.doctor;

import io.hypersync.cli.daemons.Daemons;
import io.hypersync.runtime.admin.AdminClient;
import io.hypersync.runtime.file.FileProblems;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Looks at this host, and repairs what is safe to repair. */
public final class Doctor {
  private static final Set<PosixFilePermission> OF_OWNER =
      EnumSet.of(
          PosixFilePermission.OWNER_READ,
          PosixFilePermission.OWNER_WRITE,
          PosixFilePermission.OWNER_EXECUTE);

  private static final Duration ANSWER_LIMIT = Duration.ofSeconds(5);

  private Doctor() {}

  /**
   * Returns what is wrong; touches no mount.
   *
   * @param environment in which agents would be started
   */
  public static List<Finding> examine(Daemons daemons, Map<String, String> environment) {
    return Checks.of(Probes.look(daemons, environment), Instant.now());
  }

  /** Repairs something; returns why that did not work, or empty. */
  public static Optional<String> repair(Finding.Repair repair) {
    try {
      switch (repair) {
        case Finding.Repair.CloseToOthers(Path path) -> {
          Set<PosixFilePermission> kept = EnumSet.copyOf(Files.getPosixFilePermissions(path));
          kept.retainAll(OF_OWNER);
          Files.setPosixFilePermissions(path, kept);
        }
        case Finding.Repair.RemoveSocket(Path socket) -> {
          return removeIfNobodyAnswers(socket);
        }
      }
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of(FileProblems.describe(e));
    }
  }

  /** A daemon may have been started since the socket was found. */
  private static Optional<String> removeIfNobodyAnswers(Path socket) throws IOException {
    if (!(new AdminClient(socket, ANSWER_LIMIT).ask("status") instanceof AdminClient.Reply.Dead)) {
      return Optional.of("a daemon is there now; nothing was removed");
    }
    Files.deleteIfExists(socket);
    return Optional.empty();
  }
}

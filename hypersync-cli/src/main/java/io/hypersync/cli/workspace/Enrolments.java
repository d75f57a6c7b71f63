package io.hypersync.cli.workspace;

import io.hypersync.model.id.WorkerId;
import io.hypersync.wire.admin.UserError;
import io.hypersync.wire.file.FileProblems;
import io.hypersync.wire.pki.EnrolmentToken;
import io.hypersync.wire.pki.PkiException;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Who this machine's workers are. A worker's state folder keeps the enrolment token that it joined
 * with, so that the token is needed once.
 *
 * @param base where state folders are by default, each named by workspace and worker
 */
public record Enrolments(Path base) {
  private static final String FILE = "enrolment.token";
  private static final int WORKSPACE_DIGITS = 8;

  /** An enrolment and the state folder that it belongs to. */
  public record Enrolled(EnrolmentToken token, Path stateDir) {}

  /** Those of this machine. */
  public static Enrolments ofMachine() {
    return new Enrolments(Path.of("/var/lib/hypersync"));
  }

  /**
   * Joins with a token: keeps it in the worker's state folder.
   *
   * @param stateDir the state folder if the user names one
   * @throws UserError if the token is of no use, or the folder belongs to another worker
   */
  public Enrolled join(Path tokenFile, Optional<Path> stateDir) {
    EnrolmentToken token = read(tokenFile);
    Path directory = stateDir.orElseGet(() -> defaultStateDir(token));
    Path kept = directory.resolve(FILE);
    if (Files.exists(kept)) {
      EnrolmentToken before = read(kept);
      if (!before.worker().equals(token.worker())
          || !before.workspace().equals(token.workspace())) {
        throw new UserError(
            directory + " belongs to worker " + before.worker() + " of another enrolment",
            "Use another folder: --state-dir <dir>");
      }
    }
    try {
      Files.createDirectories(directory);
      token.write(kept);
    } catch (IOException | PkiException failure) {
      throw new UserError(
          "cannot enrol in " + directory + ": " + FileProblems.describe(failure),
          FileProblems.hint(failure, ""));
    }
    return new Enrolled(token, directory);
  }

  /**
   * Finds an earlier enrolment.
   *
   * @param stateDir the state folder if the user names one
   * @param worker the worker if the user names one
   * @throws UserError if there is none, or more than one that could be meant
   */
  public Enrolled find(Optional<Path> stateDir, Optional<WorkerId> worker) {
    List<Path> directories = stateDir.map(List::of).orElseGet(this::stateDirs);
    List<Enrolled> found = new ArrayList<>();
    for (Path directory : directories) {
      if (Files.exists(directory.resolve(FILE))) {
        EnrolmentToken token = read(directory.resolve(FILE));
        if (worker.map(token.worker()::equals).orElse(true)) {
          found.add(new Enrolled(token, directory));
        }
      }
    }
    String who = worker.map(id -> "worker " + id).orElse("a worker");
    if (found.isEmpty()) {
      throw new UserError(
          "this machine is not enrolled as " + who + " (looked in " + stateDir.orElse(base) + ")",
          "On the leader's machine: ./hypersync token <worker> --dir <workspace folder>\n"
              + "Bring the file here: ./hypersync worker --token <file> --mount <dir>",
          UserError.USAGE);
    }
    if (found.size() > 1) {
      throw new UserError(
          "this machine is enrolled " + found.size() + " times",
          "Say which state folder: --state-dir "
              + found.stream()
                  .map(enrolled -> enrolled.stateDir().toString())
                  .collect(Collectors.joining(" or ")),
          UserError.USAGE);
    }
    return found.getFirst();
  }

  private Path defaultStateDir(EnrolmentToken token) {
    return base.resolve(
        token.workspace().toString().substring(0, WORKSPACE_DIGITS) + "-" + token.worker());
  }

  private List<Path> stateDirs() {
    List<Path> directories = new ArrayList<>();
    if (Files.isDirectory(base)) {
      try (DirectoryStream<Path> stream = Files.newDirectoryStream(base, Files::isDirectory)) {
        stream.forEach(directories::add);
      } catch (IOException failure) {
        throw new UserError(
            "cannot list " + base + ": " + FileProblems.describe(failure),
            FileProblems.hint(failure, ""));
      }
    }
    return directories;
  }

  private static EnrolmentToken read(Path file) {
    try {
      return EnrolmentToken.read(file);
    } catch (PkiException failure) {
      throw new UserError(
          String.valueOf(failure.getMessage()),
          FileProblems.hint(
              failure, "Write a new one on the leader's machine: ./hypersync token <worker>"),
          UserError.USAGE);
    }
  }
}

package io.hypersync.cli.workspace;

import io.hypersync.model.hash.Blake3;
import io.hypersync.model.id.WorkerId;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.file.DurableFiles;
import io.hypersync.runtime.file.FileProblems;
import io.hypersync.runtime.text.ShellWords;
import io.hypersync.wire.pki.EnrolmentToken;
import io.hypersync.wire.pki.PkiException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The workers that this machine is enrolled as. A worker's state directory keeps the enrolment
 * token that it joined with, so that the token has to be given only once.
 *
 * @param base parent of the default state directories, each named by workspace and worker
 */
public record Enrolments(Path base) {
  private static final Logger LOG = LoggerFactory.getLogger(Enrolments.class);
  private static final String FILE = "enrolment.token";

  /**
   * Subdirectory of {@code base} with one file for each state directory elsewhere; the file
   * contains its path.
   */
  private static final String ELSEWHERE = "elsewhere";

  private static final int WORKSPACE_DIGITS = 8;

  /** An enrolment, its state directory, and the parameters of the worker's last start. */
  public record Enrolled(EnrolmentToken token, Path stateDir, SavedWorkerOptions memory) {}

  /** Returns the enrolments in {@code /var/lib/hypersync}. */
  public static Enrolments ofMachine() {
    return new Enrolments(Path.of("/var/lib/hypersync"));
  }

  /**
   * Enrols with a token, and keeps the token in the worker's state directory.
   *
   * @param stateDir the state directory if the user names one
   * @param check throws if a directory cannot hold a worker's state; called before the token, a
   *     secret, is written there
   * @throws UserError if the token is not valid, or the directory belongs to another worker
   */
  public Enrolled join(Path tokenFile, Optional<Path> stateDir, Consumer<Path> check) {
    EnrolmentToken token = read(tokenFile);
    warnIfOpen(tokenFile);
    Path directory = stateDir.orElseGet(() -> defaultStateDir(token));
    Path kept = directory.resolve(FILE);
    SavedWorkerOptions memory = SavedWorkerOptions.read(directory);
    if (Files.exists(kept)) {
      EnrolmentToken before = read(kept);
      if (!before.worker().equals(token.worker())
          || !before.workspace().equals(token.workspace())) {
        throw new UserError(
            directory + " belongs to worker " + before.worker() + " of another enrolment",
            "Use another folder: --state-dir <dir>");
      }
      if (!before.toText().equals(token.toText())) {
        memory = memory.withoutLeader(); // the new token's address wins
      }
    }
    check.accept(directory);
    try {
      Files.createDirectories(directory, DurableFiles.OWNER_ONLY_DIRECTORY);
      token.write(kept);
    } catch (IOException | PkiException failure) {
      throw new UserError(
          "cannot enrol in " + directory + ": " + FileProblems.describe(failure),
          FileProblems.hint(failure, ""));
    }
    return new Enrolled(token, directory, memory);
  }

  /**
   * Finds an earlier enrolment: the one that was mounted at {@code mount} before, otherwise the
   * only one.
   *
   * @param stateDir the state directory if the user names one
   * @param worker the worker if the user names one
   * @param mount the wanted mount point if the user names one
   * @throws UserError if none matches, or more than one does
   */
  public Enrolled find(Optional<Path> stateDir, Optional<WorkerId> worker, Optional<Path> mount) {
    List<Enrolled> ofBase = enrolled(stateDir.map(List::of).orElseGet(this::stateDirs), worker);
    List<Enrolled> elsewhere = stateDir.isPresent() ? List.of() : enrolled(remembered(), worker);
    List<Enrolled> found =
        Stream.concat(ofBase.stream(), elsewhere.stream())
            .filter(enrolled -> mount.isPresent() && mount.equals(enrolled.memory().mount()))
            .toList();
    if (found.isEmpty()) {
      found = ofBase.isEmpty() && mount.isEmpty() ? elsewhere : ofBase;
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
              + found.stream().map(Enrolments::describe).collect(Collectors.joining(" or ")),
          UserError.USAGE);
    }
    return found.getFirst();
  }

  /**
   * Remembers a state directory that is not in {@code base}, so that {@link #find} finds it.
   * Forgets remembered ones that do not exist any more.
   *
   * @throws IOException if this cannot be written
   */
  public void remember(Path stateDir) throws IOException {
    if (base.equals(stateDir.getParent())) {
      return;
    }
    Path pointers = base.resolve(ELSEWHERE);
    DurableFiles.createDirectories(pointers, DurableFiles.OWNER_ONLY_DIRECTORY);
    for (Path pointer : pointers()) {
      if (target(pointer).filter(known -> Files.exists(known.resolve(FILE))).isEmpty()) {
        Files.deleteIfExists(pointer);
      }
    }
    byte[] path = stateDir.toString().getBytes(StandardCharsets.UTF_8);
    Path pointer = pointers.resolve(Blake3.hash(path).toString());
    if (!Files.exists(pointer)) {
      DurableFiles.replace(pointer, stateDir + "\n", DurableFiles.OWNER_ONLY.value());
    }
  }

  private static String describe(Enrolled enrolled) {
    return ShellWords.quoted(enrolled.stateDir())
        + enrolled.memory().mount().map(mount -> " (mounted at " + mount + ")").orElse("");
  }

  private static List<Enrolled> enrolled(List<Path> directories, Optional<WorkerId> worker) {
    List<Enrolled> found = new ArrayList<>();
    for (Path directory : directories) {
      if (Files.exists(directory.resolve(FILE))) {
        EnrolmentToken token = read(directory.resolve(FILE));
        if (worker.map(token.worker()::equals).orElse(true)) {
          found.add(new Enrolled(token, directory, SavedWorkerOptions.read(directory)));
        }
      }
    }
    return found;
  }

  private List<Path> remembered() {
    return pointers().stream()
        .flatMap(pointer -> target(pointer).stream())
        .distinct()
        .filter(Enrolments::isOfUse)
        .toList();
  }

  /**
   * Whether a remembered directory has a readable token. The user did not name this directory, so a
   * damaged one is only logged and does not hide the others.
   */
  private static boolean isOfUse(Path directory) {
    try {
      if (!Files.exists(directory.resolve(FILE))) {
        return false;
      }
      var _ = EnrolmentToken.read(directory.resolve(FILE));
      return true;
    } catch (PkiException damaged) {
      LOG.warn("the enrolment in {} is passed over: {}", directory, damaged.getMessage());
      return false;
    }
  }

  private List<Path> pointers() {
    List<Path> pointers = new ArrayList<>();
    Path folder = base.resolve(ELSEWHERE);
    if (Files.isDirectory(folder)) {
      try (DirectoryStream<Path> stream = Files.newDirectoryStream(folder)) {
        for (Path pointer : stream) {
          if (!pointer.getFileName().toString().startsWith(".")) { // skip temporary files
            pointers.add(pointer);
          }
        }
      } catch (IOException | DirectoryIteratorException failure) {
        LOG.debug("{} cannot be listed: {}", folder, failure.getMessage());
      }
    }
    return pointers;
  }

  private static Optional<Path> target(Path pointer) {
    try {
      return Optional.of(Path.of(Files.readString(pointer).strip())).filter(Path::isAbsolute);
    } catch (IOException | InvalidPathException unreadable) {
      return Optional.empty();
    }
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

  /**
   * Warns if the token file is readable by others. The secret may be known already, so refusing
   * would not help; the copy in the state directory is readable by its owner only.
   */
  private static void warnIfOpen(Path tokenFile) {
    try {
      boolean open =
          Files.getPosixFilePermissions(tokenFile).stream()
              .anyMatch(permission -> !permission.name().startsWith("OWNER_"));
      if (open) {
        LOG.warn(
            "{} is open to other users, and whoever has read it can be this worker: chmod 600 {}",
            tokenFile,
            ShellWords.quoted(tokenFile));
      }
    } catch (IOException | UnsupportedOperationException unknown) {
      LOG.debug("the permissions of {} are not known: {}", tokenFile, unknown.getMessage());
    }
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

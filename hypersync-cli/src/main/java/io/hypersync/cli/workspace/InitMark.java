package io.hypersync.cli.workspace;

import io.hypersync.model.id.WorkerId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.file.DurableFiles;
import io.hypersync.wire.pki.PkiException;
import io.hypersync.wire.pki.WorkspaceAuthority;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file which marks that {@code init} is under way in a directory, and lists what it will
 * create. It is durable before the first of these is created, and removed when the last is durable.
 * A mark that no process holds the file lock of means that an {@code init} was interrupted, and
 * tells which files are its leftovers:
 *
 * <pre>
 * hypersync init 1
 * workspace 00112233445566778899aabbccddeeff
 * state
 * token fmd.token
 * end
 * </pre>
 *
 * <p>The line {@code state} is there if the state directory is filled from a backup.
 *
 * <p>An old mark proves little: the directory may contain a workspace in use by now. So nothing is
 * removed if the directory has an identity, a log, a lock, the authority of another workspace, or
 * tokens that the mark does not list. A state that was filled from a backup has a log, too; a
 * leader that had been there would have left its lock.
 */
final class InitMark implements AutoCloseable {
  static final String FILE = "init.unfinished";

  private static final Logger LOG = LoggerFactory.getLogger(InitMark.class);
  private static final String FIRST_LINE = "hypersync init 1";
  private static final String WORKSPACE = "workspace ";
  private static final String STATE = "state";
  private static final String TOKEN = "token ";

  /** What a leader makes in its state directory before anything else. */
  private static final String LEADERS_LOCK = "LOCK";

  private static final String LAST_LINE = "end";
  private static final int MAX_BYTES = 1 << 20;

  private final Path file;
  private final FileChannel channel;

  private InitMark(Path file, FileChannel channel) {
    this.file = file;
    this.channel = channel;
  }

  /** Contents of the mark of an earlier {@code init}. */
  private record Content(WorkspaceId workspace, boolean fillsState, Set<String> tokens) {}

  /**
   * Creates and locks the mark. No other process can create one while this exists.
   *
   * @param fillsState whether this init fills the state directory
   * @throws UserError if another {@code init} is under way
   */
  static InitMark write(
      Path root, WorkspaceId workspace, List<WorkerId> workers, boolean fillsState)
      throws IOException {
    Path file = root.resolve(FILE);
    FileChannel channel;
    try {
      channel =
          FileChannel.open(
              file,
              Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
              DurableFiles.OWNER_ONLY);
    } catch (FileAlreadyExistsException another) {
      throw underWay(root);
    }
    try {
      if (lock(channel) == null) {
        throw underWay(root);
      }
      StringBuilder text = new StringBuilder(FIRST_LINE + "\n" + WORKSPACE + workspace + "\n");
      if (fillsState) {
        text.append(STATE).append('\n');
      }
      workers.forEach(worker -> text.append(TOKEN).append(worker).append(".token\n"));
      text.append(LAST_LINE).append('\n');
      ByteBuffer bytes = StandardCharsets.UTF_8.encode(text.toString());
      while (bytes.hasRemaining()) {
        var _ = channel.write(bytes);
      }
      channel.force(true);
      DurableFiles.syncDirectory(root);
      return new InitMark(file, channel);
    } catch (IOException | RuntimeException failure) {
      channel.close();
      throw failure;
    }
  }

  /** Whether there is a mark, of an {@code init} that runs or was interrupted. */
  static boolean isIn(Path root) {
    return Files.exists(root.resolve(FILE));
  }

  /** Tries to remove a mark from a complete workspace; failure is only logged. */
  static void forget(Path root) {
    try {
      Files.deleteIfExists(root.resolve(FILE));
    } catch (IOException failure) {
      LOG.debug("the mark of an init stays behind in {}: {}", root, failure.getMessage());
    }
  }

  /** Removes the mark, once everything is created and durable. */
  void done() throws IOException {
    Files.deleteIfExists(file);
    DurableFiles.syncDirectory(file.toAbsolutePath().getParent());
  }

  /**
   * Releases the lock. Without {@link #done} the mark stays, and the next {@code init} cleans up.
   */
  @Override
  public void close() throws IOException {
    channel.close();
  }

  /**
   * Removes what an interrupted {@code init} has created, and its mark; if the workspace is
   * complete, only the mark.
   *
   * @throws UserError if an {@code init} is under way, or there is something that it cannot have
   *     created; nothing is changed then
   */
  static void clearAway(Path root) throws IOException {
    Path file = root.resolve(FILE);
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      if (lock(channel) == null) {
        throw underWay(root);
      }
      Optional<Content> content = parse(channel);
      // With an identity file the workspace is complete. An incomplete mark is the only thing that
      // its init has created.
      if (content.isPresent() && !Files.exists(root.resolve(WorkspaceDirectory.IDENTITY_FILE))) {
        removeWaste(root, content.get());
      }
      Files.deleteIfExists(file);
      DurableFiles.syncDirectory(root);
    } catch (NoSuchFileException done) {
      return; // another init has just finished
    }
  }

  private static void removeWaste(Path root, Content content) throws IOException {
    refuseIfAlive(root, content);
    for (String name : content.tokens()) {
      Files.deleteIfExists(root.resolve(WorkspaceDirectory.TOKENS_DIR).resolve(name));
    }
    removeIfEmpty(root.resolve(WorkspaceDirectory.TOKENS_DIR));
    DurableFiles.deleteTree(root.resolve(WorkspaceDirectory.AUTHORITY_DIR));
    DurableFiles.deleteTree(root.resolve(WorkspaceDirectory.LEADER_DIR));
    if (content.fillsState()) {
      DurableFiles.deleteTree(root.resolve(WorkspaceDirectory.STATE_DIR));
    }
    removeIfEmpty(root.resolve(WorkspaceDirectory.STATE_DIR));
    Files.deleteIfExists(root.resolve(WorkspaceDirectory.CONFIG_FILE));
    for (String name : names(root)) {
      if (isHalfWritten(name, WorkspaceDirectory.CONFIG_FILE)
          || isHalfWritten(name, WorkspaceDirectory.IDENTITY_FILE)) {
        Files.deleteIfExists(root.resolve(name));
      }
    }
    DurableFiles.syncDirectory(root);
  }

  private static void refuseIfAlive(Path root, Content content) throws IOException {
    List<String> state = names(root.resolve(WorkspaceDirectory.STATE_DIR));
    if (!state.isEmpty() && (!content.fillsState() || state.contains(LEADERS_LOCK))) {
      throw inTheWay(
          root, WorkspaceDirectory.STATE_DIR + "/" + state.getFirst() + ", which a leader made");
    }
    for (String name : names(root.resolve(WorkspaceDirectory.TOKENS_DIR))) {
      if (!content.tokens().contains(name)
          && content.tokens().stream().noneMatch(token -> isHalfWritten(name, token))) {
        throw inTheWay(
            root, WorkspaceDirectory.TOKENS_DIR + "/" + name + ", which was written since");
      }
    }
    Path authority = root.resolve(WorkspaceDirectory.AUTHORITY_DIR);
    if (WorkspaceAuthority.isWhole(authority)) {
      try {
        var _ = WorkspaceAuthority.open(authority, content.workspace());
      } catch (PkiException another) {
        throw inTheWay(root, "an authority that is not its own (" + another.getMessage() + ")");
      }
    }
  }

  private static Optional<Content> parse(FileChannel channel) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(channel.size(), MAX_BYTES));
    int read = 0;
    while (bytes.hasRemaining() && read >= 0) {
      read = channel.read(bytes, bytes.position());
    }
    List<String> lines = StandardCharsets.UTF_8.decode(bytes.flip()).toString().lines().toList();
    if (lines.size() < 3
        || !lines.getFirst().equals(FIRST_LINE)
        || !lines.get(1).startsWith(WORKSPACE)
        || !lines.getLast().equals(LAST_LINE)) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          new Content(
              WorkspaceId.parse(lines.get(1).substring(WORKSPACE.length())),
              lines.contains(STATE),
              Set.copyOf(
                  lines.subList(2, lines.size() - 1).stream()
                      .filter(line -> line.startsWith(TOKEN))
                      .map(line -> line.substring(TOKEN.length()))
                      .filter(name -> name.indexOf('/') < 0)
                      .toList())));
    } catch (IllegalArgumentException malformed) {
      return Optional.empty();
    }
  }

  /** Whether a name is that of a temporary file that was to replace {@code of}. */
  private static boolean isHalfWritten(String name, String of) {
    return name.startsWith("." + of + ".") && name.endsWith(".tmp");
  }

  private static void removeIfEmpty(Path directory) throws IOException {
    if (Files.isDirectory(directory)) {
      for (String name : names(directory)) {
        if (name.startsWith(".") && name.endsWith(".tmp")) {
          Files.deleteIfExists(directory.resolve(name));
        }
      }
      if (names(directory).isEmpty()) {
        Files.deleteIfExists(directory);
      }
    }
  }

  private static List<String> names(Path directory) throws IOException {
    List<String> names = new ArrayList<>();
    if (Files.isDirectory(directory)) {
      try (DirectoryStream<Path> content = Files.newDirectoryStream(directory)) {
        content.forEach(path -> names.add(String.valueOf(path.getFileName())));
      }
    }
    return names;
  }

  private static @Nullable FileLock lock(FileChannel channel) throws IOException {
    try {
      return channel.tryLock();
    } catch (OverlappingFileLockException held) {
      return null; // locked by this same process
    }
  }

  private static UserError underWay(Path root) {
    return new UserError("another ./hypersync init is under way in " + root, "Wait until it ends.");
  }

  private static UserError inTheWay(Path root, String what) {
    return new UserError(
        root + " has an interrupted ./hypersync init and " + what + "; nothing was changed",
        "If that is a workspace which has lost its workspace.toml, restore that from a backup.\n"
            + "If nothing in the folder is needed, remove it, and run ./hypersync init again.");
  }
}

package io.hypersync.leader.archive;

import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.chunkstore.disk.DiskChunkStore;
import io.hypersync.chunkstore.disk.DiskChunkStoreOptions;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.runtime.admin.StateLock;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.file.DurableFiles;
import io.hypersync.runtime.file.FileProblems;
import io.hypersync.snapshot.Snapshot;
import io.hypersync.snapshot.SnapshotDirectory;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A directory with backups of one workspace (decision 028):
 *
 * <pre>
 * hypersync-backup   {@link BackupLabel}: what this is, and of which workspace
 * LOCK               one process at a time writes or reads chunks
 * chunks/            a chunk store with pages and chunks
 * snapshots/         a catalog; whatever it has is complete
 * </pre>
 */
public final class BackupDirectory implements AutoCloseable {
  static final String LABEL = "hypersync-backup";
  private static final String LOCK = "LOCK";
  private static final String CHUNKS = "chunks";
  private static final String SNAPSHOTS = "snapshots";

  /** More than any label has: a larger file is none. */
  private static final long MAX_LABEL_BYTES = 4096;

  private static final String KIND = "backup directory";

  private final Path directory;
  private final BackupLabel label;
  private final StateLock lock;
  private final DiskChunkStore chunks;
  private final SnapshotDirectory catalog;

  private BackupDirectory(
      Path directory,
      BackupLabel label,
      StateLock lock,
      DiskChunkStore chunks,
      SnapshotDirectory catalog) {
    this.directory = directory;
    this.label = label;
    this.lock = lock;
    this.chunks = chunks;
    this.catalog = catalog;
  }

  /**
   * What a backup directory has.
   *
   * @param label of which workspace it is
   * @param states the oldest first
   * @param unreadable indexes of states whose records are damaged, in ascending order
   */
  public record Contents(BackupLabel label, List<Snapshot> states, List<Long> unreadable) {
    /** The newest state; null if there is none. */
    public @Nullable Snapshot newest() {
      return states.isEmpty() ? null : states.getLast();
    }
  }

  /**
   * Opens a directory for a backup; it is made if it does not exist. An interrupted attempt to make
   * it is gone on with.
   *
   * @param label written if the directory is new
   * @throws UserError if it is something else, of another workspace, or in use
   */
  public static BackupDirectory openToWrite(Path directory, BackupLabel label) {
    try {
      if (Files.exists(directory) && !isBackup(directory)) {
        requireEmpty(directory);
      }
      DurableFiles.createDirectories(directory, DurableFiles.OWNER_ONLY_DIRECTORY);
      StateLock lock =
          StateLock.acquire(directory, KIND, "a backup of workspace " + label.workspace());
      return opened(lock, () -> open(directory, labelOf(directory, label), lock));
    } catch (IOException e) {
      throw cannot("use", directory, e);
    }
  }

  /**
   * Opens a backup to read from it.
   *
   * @param what reads it, for the message to whoever else wants it
   * @throws UserError if there is none, it is in use, or it cannot be read
   */
  public static BackupDirectory open(Path directory, String what) {
    try {
      requireBackup(directory);
      StateLock lock = StateLock.acquire(directory, KIND, what);
      return opened(lock, () -> open(directory, read(directory), lock));
    } catch (IOException e) {
      throw cannot("use", directory, e);
    }
  }

  /**
   * What a backup has, without a lock: another process may be writing it.
   *
   * @throws UserError if there is none, or it cannot be read
   */
  public static Contents contents(Path directory) {
    try {
      requireBackup(directory);
      BackupLabel label = read(directory);
      return Files.isDirectory(directory.resolve(SNAPSHOTS))
          ? contents(label, SnapshotDirectory.of(directory))
          : new Contents(label, List.of(), List.of()); // the first backup has only begun
    } catch (IOException e) {
      throw cannot("read", directory, e);
    }
  }

  /** What this backup has. */
  public Contents contents() {
    try {
      return contents(label, catalog);
    } catch (IOException e) {
      throw cannot("read", directory, e);
    }
  }

  private static Contents contents(BackupLabel label, SnapshotDirectory catalog)
      throws IOException {
    List<Snapshot> states = catalog.list();
    Set<Long> readable = new HashSet<>();
    states.forEach(state -> readable.add(state.index()));
    List<Long> unreadable = new ArrayList<>(catalog.indexes());
    unreadable.removeIf(readable::contains);
    unreadable.sort(null);
    return new Contents(label, states, unreadable);
  }

  /**
   * Refuses a state that would take the place of another one of the same entry.
   *
   * @throws UserError if the backup has one: the workspace has got another history since
   */
  public void requireSameHistory(Snapshot snapshot) {
    for (Snapshot state : contents().states()) {
      if (state.index() == snapshot.index() && !state.hash().equals(snapshot.hash())) {
        throw new UserError(
            directory + " has another state of entry " + snapshot.index(),
            "The log was cut, or the leader was restored from an older copy, since that backup."
                + " Back up into another directory.");
      }
    }
  }

  /**
   * Computes the Merkle root of a state from all its pages; takes the memory of the state.
   *
   * @throws UserError if that is not the root which the state says
   */
  public void requireRoot(Snapshot state) {
    var _ = VerifiedRoot.of(state, chunks, label.workspace(), directory.toString());
  }

  /** Where it is. */
  public Path directory() {
    return directory;
  }

  /** Of which workspace it is. */
  public BackupLabel label() {
    return label;
  }

  /** Its pages and chunks. */
  public DiskChunkStore chunks() {
    return chunks;
  }

  /** Its states. */
  public SnapshotDirectory catalog() {
    return catalog;
  }

  @Override
  public void close() {
    try (lock) {
      chunks.close();
    }
  }

  private interface Opening {
    BackupDirectory run() throws IOException;
  }

  private static BackupDirectory opened(StateLock lock, Opening opening) throws IOException {
    try {
      return opening.run();
    } catch (IOException | RuntimeException e) {
      lock.close();
      throw e;
    }
  }

  private static BackupDirectory open(Path directory, BackupLabel label, StateLock lock)
      throws IOException {
    Path store = directory.resolve(CHUNKS);
    DurableFiles.createDirectories(store); // the store syncs only what is inside
    SnapshotDirectory catalog = SnapshotDirectory.of(directory);
    DiskChunkStore chunks;
    try {
      chunks = DiskChunkStore.open(store, DiskChunkStoreOptions.DEFAULT);
    } catch (ChunkStoreException e) {
      throw failed(directory, e);
    }
    return new BackupDirectory(directory, label, lock, chunks, catalog);
  }

  /**
   * What a failure of a backup's chunk store means.
   *
   * @param directory of the backup
   */
  public static UserError failed(Path directory, ChunkStoreException failure) {
    return failure.errno() == Errno.ENOSPC
        ? new UserError(
            "no room in " + directory + ": " + failure.getMessage(),
            "Free space there, then do the same again: it goes on with what is there.")
        : new UserError(
            "cannot use the chunks in " + directory + ": " + failure.getMessage(),
            "Look at the disk, then do the same again: it goes on with what is there.");
  }

  private static BackupLabel labelOf(Path directory, BackupLabel ours) throws IOException {
    if (!isBackup(directory)) {
      DurableFiles.replace(directory.resolve(LABEL), ours.render());
      return ours;
    }
    BackupLabel found = read(directory);
    WorkspaceId workspace = found.workspace();
    if (!workspace.equals(ours.workspace())) {
      throw new UserError(
          directory + " has backups of another workspace: " + found.name() + " (" + workspace + ")",
          "Give another directory: each is for one workspace.");
    }
    return found;
  }

  private static BackupLabel read(Path directory) throws IOException {
    Path file = directory.resolve(LABEL);
    String text = Files.size(file) > MAX_LABEL_BYTES ? "" : Files.readString(file);
    return BackupLabel.parse(text, file.toString());
  }

  private static boolean isBackup(Path directory) {
    return Files.exists(directory.resolve(LABEL), LinkOption.NOFOLLOW_LINKS);
  }

  private static void requireBackup(Path directory) {
    if (!isBackup(directory)) {
      throw new UserError(
          directory + " is no backup: it has no " + LABEL,
          "Make one: ./hypersync backup <dir>",
          UserError.USAGE);
    }
  }

  /** An attempt that was interrupted at its beginning has left a lock, and half a label. */
  private static void requireEmpty(Path directory) throws IOException {
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
      for (Path entry : entries) {
        String name = String.valueOf(entry.getFileName());
        boolean isOurs =
            name.equals(LOCK) || (name.startsWith("." + LABEL + ".") && name.endsWith(".tmp"));
        if (!isOurs && !name.equals("lost+found")) {
          throw new UserError(
              directory + " is neither empty nor a backup: it has " + name,
              "Give another directory; it is made if it is not there.");
        }
      }
    }
  }

  private static UserError cannot(String what, Path directory, IOException failure) {
    return new UserError(
        "cannot " + what + " the backup in " + directory + ": " + FileProblems.describe(failure),
        FileProblems.hint(failure, ""));
  }
}

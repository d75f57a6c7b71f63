package io.hypersync.snapshot;

import io.hypersync.runtime.file.DurableFiles;
import io.hypersync.runtime.file.FileProblems;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Collection;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The mark as the file {@code collected} of a leader's state directory. It is beside the snapshots,
 * not among them, because it must outlive snapshots that somebody moves away.
 *
 * <p>It is never taken for lower than it is. If a slot cannot be read, because a crash has torn it
 * or it has rotted, the newest snapshot says how high it can be at most: no collection goes beyond
 * that, and the newest snapshot is only removed when there is a newer one.
 */
public final class CollectedFile implements CollectionMark {
  private static final Logger LOG = LoggerFactory.getLogger(CollectedFile.class);
  private static final String NAME = "collected";

  private final Path file;
  private volatile long through;

  /** The slot that must not be overwritten; -1 if there is no file. */
  private int newest;

  private CollectedFile(Path file, long through, int newest) {
    this.file = file;
    this.through = through;
    this.newest = newest;
  }

  /**
   * Opens the mark of a state directory for a leader. The file is made if there is none, so that
   * later there need be no room for it; if there is no room now, it is tried again by {@link
   * #raise}.
   *
   * @param snapshots the indexes of all snapshots of the leader, also of unreadable ones
   * @throws IOException if it cannot be read, or is damaged and there is no snapshot
   */
  public static CollectedFile open(Path stateDirectory, Collection<Long> snapshots)
      throws IOException {
    Path file = stateDirectory.resolve(NAME);
    CollectedFile mark;
    CollectedSlots slots = slots(file);
    if (slots == null) {
      mark = new CollectedFile(file, 0, -1);
    } else {
      if (!slots.isDamaged()) {
        return new CollectedFile(file, slots.index(), slots.newest());
      }
      long highest = highest(file, slots, snapshots);
      LOG.warn("{} is damaged: chunks of entries up to {} may be gone", file, highest);
      mark = new CollectedFile(file, highest, -1);
    }
    try {
      mark.replace(mark.through);
    } catch (IOException e) {
      LOG.warn("{} cannot be written: {}", file, FileProblems.describe(e));
    }
    return mark;
  }

  /**
   * What the file says, for a stopped leader; 0 if there is none. If it is damaged, what {@link
   * #open} would take it for.
   *
   * @throws IOException if it cannot be read, or is damaged and there is no snapshot
   */
  public static long read(Path stateDirectory) throws IOException {
    Path file = stateDirectory.resolve(NAME);
    CollectedSlots slots = slots(file);
    return slots == null ? 0 : highest(file, slots, snapshots(stateDirectory));
  }

  /**
   * The most that the file can have said, for a cut of the log, which writes it anew. As {@link
   * #read}; but if it is damaged and there is no snapshot, {@link Long#MAX_VALUE}: chunks of any
   * entry may be gone.
   *
   * @throws IOException if it cannot be read
   */
  public static long most(Path stateDirectory) throws IOException {
    CollectedSlots slots = slots(stateDirectory.resolve(NAME));
    return slots != null && slots.isDamaged() && snapshots(stateDirectory).isEmpty()
        ? Long.MAX_VALUE
        : read(stateDirectory);
  }

  private static @Nullable CollectedSlots slots(Path file) throws IOException {
    try {
      return CollectedSlots.read(Files.readAllBytes(file));
    } catch (NoSuchFileException none) {
      return null;
    }
  }

  private static Collection<Long> snapshots(Path stateDirectory) throws IOException {
    return SnapshotDirectory.of(stateDirectory).indexes();
  }

  /** How high the mark can be; no higher than it says, unless it is damaged. */
  private static long highest(Path file, CollectedSlots slots, Collection<Long> snapshots)
      throws IOException {
    if (!slots.isDamaged()) {
      return slots.index();
    }
    long highest = snapshots.stream().mapToLong(Long::longValue).max().orElse(0);
    if (highest == 0) {
      throw new IOException(
          file
              + " is damaged, and there is no snapshot: nobody knows up to which entry chunks were"
              + " collected");
    }
    return Math.max(highest, slots.index());
  }

  /**
   * Lowers the mark of a stopped leader whose log is cut: there are no entries behind this one any
   * more, and chunks of those up to it may still be gone. A file that is damaged is mended.
   *
   * @throws IOException if it cannot be read or written
   */
  public static void lower(Path stateDirectory, long index) throws IOException {
    Path file = stateDirectory.resolve(NAME);
    CollectedSlots slots = slots(file);
    if (slots != null && (slots.isDamaged() || slots.index() > index)) {
      DurableFiles.replace(file, CollectedSlots.file(index));
    }
  }

  @Override
  public long through() {
    return through;
  }

  @Override
  public void raise(long index) throws IOException {
    if (index <= through) {
      return;
    }
    if (newest < 0) {
      replace(index);
    } else {
      int other = CollectedSlots.SLOTS - 1 - newest;
      overwrite(other, index);
      newest = other;
    }
    through = index;
  }

  private void replace(long index) throws IOException {
    DurableFiles.replace(file, CollectedSlots.file(index));
    newest = 0;
  }

  private void overwrite(int slot, long index) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(CollectedSlots.slot(index));
    long at = (long) slot * CollectedSlots.SLOT_BYTES;
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      while (bytes.hasRemaining()) {
        int written = channel.write(bytes, at);
        at += written;
      }
      channel.force(true);
    }
  }
}

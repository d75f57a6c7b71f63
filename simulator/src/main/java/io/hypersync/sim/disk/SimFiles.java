package io.hypersync.sim.disk;

import io.hypersync.leader.oplog.chronicle.SteppedLog;
import io.hypersync.leader.oplog.chronicle.SteppedLog.Span;
import io.hypersync.sim.world.Prng;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The files of the leader's log. */
final class SimFiles implements SteppedLog.Storage {
  /** Bytes that a segment file has from the beginning, as zeros. */
  private static final int ALLOCATED = 64 << 10;

  private record Flip(Path file, int position, int bits) {}

  private final Map<Path, SimFile> files = new LinkedHashMap<>();

  /** Files of segments that were withdrawn, until the directory is synced. */
  private final Map<Path, SimFile> withdrawn = new LinkedHashMap<>();

  private final List<Flip> flips = new ArrayList<>();
  private final Prng prng;
  private boolean writesFail;

  SimFiles(Prng prng) {
    this.prng = prng;
  }

  @Override
  public List<Path> segments() {
    List<Path> directories = new ArrayList<>();
    files.keySet().forEach(file -> directories.add(file.getParent()));
    return directories;
  }

  @Override
  public byte @Nullable [] bytes(Path file) {
    SimFile found = files.get(file);
    return found == null ? null : found.bytes();
  }

  @Override
  public void publish(Path directory, Path file, byte[] bytes) throws IOException {
    if (writesFail) {
      throw new IOException("EIO: the simulated disk cannot write " + file);
    }
    files.put(file, new SimFile(bytes, ALLOCATED));
    syncNames();
  }

  @Override
  public void write(Path file, long position, byte[] bytes) throws IOException {
    int count = writesFail ? prng.below(bytes.length) : bytes.length;
    file(file).write(position, bytes, count);
    if (writesFail) {
      throw new IOException("EIO: the simulated disk cannot write " + file + " at " + position);
    }
  }

  @Override
  public void delete(Path directory) {
    files.keySet().removeIf(file -> file.getParent().equals(directory));
    flips.removeIf(flip -> flip.file.getParent().equals(directory));
  }

  /**
   * Takes a segment out of the log. Until {@link #syncNames} this may be undone by a loss of power.
   */
  void withdraw(Path directory) throws IOException {
    if (writesFail) {
      throw new IOException("EIO: the simulated disk cannot rename " + directory);
    }
    for (Path file : List.copyOf(files.keySet())) {
      if (file.getParent().equals(directory)) {
        withdrawn.put(file, file(file));
        files.remove(file);
      }
    }
  }

  /** Removes all files, for good. */
  void clear() {
    files.clear();
    withdrawn.clear();
    flips.clear();
  }

  /** Syncs the log's directory: what was withdrawn is gone for good. */
  void syncNames() {
    flips.removeIf(flip -> withdrawn.containsKey(flip.file));
    withdrawn.clear();
  }

  /** Sets whether all writes fail with EIO. */
  void writesFail(boolean now) {
    writesFail = now;
  }

  /** The file as a process has it open: it stays the same one when its name is taken away. */
  SimFile open(Path file) {
    return file(file);
  }

  void failSync(SimFile file) {
    file.failSync(prng);
  }

  void evict() {
    syncNames(); // the kernel writes names that the process has left
    files.values().forEach(file -> file.evict(prng));
  }

  /** Loses power on all files; returns the number of torn pages. */
  int losePower() {
    if (!withdrawn.isEmpty() && prng.oneIn(2)) {
      files.putAll(withdrawn);
      withdrawn.clear();
    }
    syncNames();
    return files.values().stream().mapToInt(file -> file.losePower(prng)).sum();
  }

  /** Flips one bit of a record. */
  void rot(Span span) {
    int position = (int) span.position() + prng.below(span.length());
    Flip flip = new Flip(span.file(), position, 1 << prng.below(Byte.SIZE));
    file(span.file()).flip(flip.position, flip.bits);
    flips.add(flip);
  }

  boolean isDamaged() {
    return !flips.isEmpty();
  }

  /** Whether anything but these files is damaged. */
  boolean isDamagedBeside(Set<Path> others) {
    return flips.stream().anyMatch(flip -> !others.contains(flip.file));
  }

  /** Undoes all flips, as if the files were restored from a copy. */
  void repair() {
    for (Flip flip : flips) {
      SimFile out = withdrawn.get(flip.file);
      (out == null ? file(flip.file) : out).flip(flip.position, flip.bits);
    }
    flips.clear();
  }

  private SimFile file(Path file) {
    SimFile found = files.get(file);
    if (found == null) {
      throw new IllegalStateException("no file " + file);
    }
    return found;
  }
}

package io.hypersync.coordination.cas.file;

import io.hypersync.coordination.cas.CasException;
import io.hypersync.coordination.cas.CasRecord;
import io.hypersync.coordination.cas.CasStore;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.runtime.file.DurableFiles;
import io.hypersync.runtime.file.FileLockedException;
import io.hypersync.runtime.file.FileProblems;
import io.hypersync.runtime.file.MomentaryLock;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/**
 * Records of the processes of one host: {@code KEY.record} in a directory, beside {@code KEY.lock},
 * which is locked from the read to the write of an update. Not for directories that several hosts
 * share.
 *
 * <p>A record is replaced by a rename, so readers need no lock, and a crash leaves the old one or
 * the new one. A write is durable when it returns.
 *
 * <p>The first revision of a record is the time at which it is made, in ns since 1970; each write
 * adds one. So a record that somebody has removed, or whose directory, comes back with a larger
 * revision, and nobody takes it for the one that was read before. If the clock was set back
 * meanwhile it comes back with a smaller one, but not with the same. A directory that is restored
 * from a copy is not told from what it was.
 *
 * <p>A disk that does not answer holds up a call, so it is not for an event loop.
 */
public final class FileCasStore implements CasStore {
  /** The keys that can be a file's name. */
  private static final Pattern KEY = Pattern.compile("[A-Za-z0-9_=-][A-Za-z0-9._=-]{0,127}");

  private final Path directory;
  private final Clock clock;

  /**
   * Uses this directory, which is made by the first write, with mode 0700.
   *
   * @param clock for the first revisions only
   */
  public FileCasStore(Path directory, Clock clock) {
    this.directory = directory;
    this.clock = clock;
  }

  @Override
  public Optional<CasRecord> read(String key) throws CasException {
    Path file = file(key);
    try {
      return stored(file);
    } catch (IOException e) {
      throw unusable(file, e);
    }
  }

  @Override
  public Optional<Long> create(String key, byte[] value) throws CasException {
    return written(key, value, OptionalLong.empty());
  }

  @Override
  public Optional<Long> update(String key, byte[] value, long revision) throws CasException {
    return written(key, value, OptionalLong.of(revision));
  }

  private Optional<Long> written(String key, byte[] value, OptionalLong expected)
      throws CasException {
    Path file = file(key);
    if (value.length > MAX_VALUE_BYTES) {
      throw new IllegalArgumentException("a value of " + value.length + " bytes");
    }
    Path lock = directory.resolve(key + ".lock");
    try {
      DurableFiles.createDirectories(directory, DurableFiles.OWNER_ONLY_DIRECTORY);
      try (MomentaryLock _ = MomentaryLock.take(lock)) {
        Optional<CasRecord> there = stored(file);
        OptionalLong found =
            there.isPresent() ? OptionalLong.of(there.get().revision()) : OptionalLong.empty();
        if (!found.equals(expected)) {
          return Optional.empty();
        }
        long revision = found.isPresent() ? found.getAsLong() + 1 : Math.max(1, clock.epochNs());
        DurableFiles.replace(file, RecordBytes.of(new CasRecord(value, revision)));
        return Optional.of(revision);
      }
    } catch (FileLockedException e) {
      throw new CasException(
          "the record " + file + " is locked by another process",
          "Look which one, and whether it was stopped: fuser " + lock);
    } catch (IOException e) {
      throw unusable(file, e);
    }
  }

  /** What is there, whole; empty if there is none. */
  private static Optional<CasRecord> stored(Path file) throws IOException, CasException {
    try {
      BasicFileAttributes attributes =
          Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      if (!attributes.isRegularFile()) {
        throw new CasException("the record " + file + " is no file", "Move what is there away.");
      }
      try (InputStream in =
          Files.newInputStream(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
        Optional<CasRecord> record = RecordBytes.parse(in.readNBytes(RecordBytes.MAX_BYTES + 1));
        if (record.isEmpty()) {
          throw new CasException(
              "the record " + file + " is damaged: what it says is not known",
              "Remove it when nothing runs that uses it.");
        }
        return record;
      }
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }

  private Path file(String key) throws CasException {
    if (!KEY.matcher(key).matches()) {
      throw new CasException(
          "the key cannot be the name of a file in " + directory,
          "Use up to 128 letters, digits and any of _=-. but no dot first.");
    }
    return directory.resolve(key + ".record");
  }

  private static CasException unusable(Path file, IOException e) {
    return new CasException(
        "the record " + file + " cannot be used: " + FileProblems.describe(e),
        FileProblems.hint(
            e, "Its directory must be one of this user, on a disk of this host with room."));
  }
}

package io.hypersync.bench;

import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;

/** Whole jobs as programs do them; {@code docs/benchmark-operations.md} describes each. */
enum Job {
  /** Creates many files with git. */
  CLONE("clone", "git clone, 5,000 files", Places.DURABLE, MeasuredFilesystem.Kind.DIRSYNC, 1),
  /** Creates many files with tar. */
  UNTAR("untar", "tar x, 10,000 files", Places.DURABLE, MeasuredFilesystem.Kind.DIRSYNC, 1),
  /** Reads the attributes of all files. */
  STATUS("status", "git status", Places.READING, MeasuredFilesystem.Kind.BINDFS, Rounds.SEVERAL),
  /** Lists all directories. */
  WALK("walk-tree", "find -size", Places.READING, MeasuredFilesystem.Kind.BINDFS, Rounds.SEVERAL),
  /** Reads the contents of all files. */
  GREP("grep", "grep -r", Places.READING, MeasuredFilesystem.Kind.BINDFS, Rounds.SEVERAL),
  /** Removes all names. */
  REMOVE("remove", "rm -rf of both trees", Places.DURABLE, MeasuredFilesystem.Kind.DIRSYNC, 1),
  /** Writes one large file. */
  LARGE_WRITE(
      "large-write", "write 256 MiB, fsync", Places.LARGE, MeasuredFilesystem.Kind.PLAIN, 1),
  /** Reads that file from the disk. */
  LARGE_READ_COLD(
      "large-read-cold", "read it, caches empty", Places.LARGE, MeasuredFilesystem.Kind.PLAIN, 1),
  /** Reads that file from the page cache. */
  LARGE_READ_WARM(
      "large-read-warm",
      "read it again",
      Places.LARGE,
      MeasuredFilesystem.Kind.PLAIN,
      Rounds.SEVERAL);

  private final String key;
  private final String title;
  private final Places places;
  private final MeasuredFilesystem.Kind reference;
  private final int rounds;

  Job(String key, String title, Places places, MeasuredFilesystem.Kind reference, int rounds) {
    this.key = key;
    this.title = title;
    this.places = places;
    this.reference = reference;
    this.rounds = rounds;
  }

  /** How many times a short job is run. */
  private static final class Rounds {
    static final int SEVERAL = 5;
  }

  /** In which places a kind of job is run. */
  private enum Places {
    /** Places where changes are durable without fsync, and where later jobs need the trees. */
    DURABLE,
    /** Places whose read performance differs: all plain ext4 places are the same. */
    READING,
    /** Places for a large file. */
    LARGE;

    boolean has(MeasuredFilesystem.Kind kind) {
      return switch (kind) {
        case HYPERSYNC, MAIN_HOST, JNR, PEER -> true;
        case BINDFS -> this != LARGE;
        case DIRSYNC -> this == DURABLE;
        case PLAIN -> this == LARGE;
        case UNSYNCED -> false;
      };
    }
  }

  /** Returns the job with this key. */
  static Optional<Job> of(String key) {
    return Arrays.stream(values()).filter(job -> job.key.equals(key)).findFirst();
  }

  /** Returns all keys, for messages. */
  static String keys() {
    return Arrays.stream(values()).map(Job::key).collect(Collectors.joining(", "));
  }

  /** Returns the name on the command line and in JSON. */
  String key() {
    return key;
  }

  String title() {
    return title;
  }

  /** Whether the job is run in this kind of place. */
  boolean isDoneIn(MeasuredFilesystem.Kind place) {
    return places.has(place);
  }

  /** Returns the filesystem that its time is divided by for baselines. */
  MeasuredFilesystem.Kind reference() {
    return reference;
  }

  /** Returns how many times it is run; the median counts. */
  int rounds() {
    return rounds;
  }
}

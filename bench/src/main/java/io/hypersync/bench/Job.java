package io.hypersync.bench;

import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;

/** Whole jobs, as programs do them; {@code docs/benchmark-operations.md} says what each one is. */
enum Job {
  /** Many new files by git. */
  CLONE("clone", "git clone, 5,000 files", Places.DURABLE, Place.Kind.DIRSYNC, 1),
  /** Many new files by tar. */
  UNTAR("untar", "tar x, 10,000 files", Places.DURABLE, Place.Kind.DIRSYNC, 1),
  /** Attributes of all files. */
  STATUS("status", "git status", Places.READING, Place.Kind.BINDFS, Rounds.SEVERAL),
  /** All directories. */
  WALK("walk-tree", "find -size", Places.READING, Place.Kind.BINDFS, Rounds.SEVERAL),
  /** All contents. */
  GREP("grep", "grep -r", Places.READING, Place.Kind.BINDFS, Rounds.SEVERAL),
  /** All names go. */
  REMOVE("remove", "rm -rf of both trees", Places.DURABLE, Place.Kind.DIRSYNC, 1),
  /** One large file. */
  LARGE_WRITE("large-write", "write 256 MiB, fsync", Places.LARGE, Place.Kind.PLAIN, 1),
  /** The same, from the disk. */
  LARGE_READ_COLD("large-read-cold", "read it, caches empty", Places.LARGE, Place.Kind.PLAIN, 1),
  /** The same, from memory. */
  LARGE_READ_WARM(
      "large-read-warm", "read it again", Places.LARGE, Place.Kind.PLAIN, Rounds.SEVERAL);

  private final String key;
  private final String title;
  private final Places places;
  private final Place.Kind reference;
  private final int rounds;

  Job(String key, String title, Places places, Place.Kind reference, int rounds) {
    this.key = key;
    this.title = title;
    this.places = places;
    this.reference = reference;
    this.rounds = rounds;
  }

  /** How often a short job is done. */
  private static final class Rounds {
    static final int SEVERAL = 5;
  }

  /** Where what is done. */
  private enum Places {
    /** Where a change is durable, and where the trees are needed. */
    DURABLE,
    /** Where what is read may differ: it is the same on every ext4. */
    READING,
    /** Where one file of many bytes is. */
    LARGE;

    boolean has(Place.Kind kind) {
      return switch (kind) {
        case HYPERSYNC, PEER -> true;
        case BINDFS -> this != LARGE;
        case DIRSYNC -> this == DURABLE;
        case PLAIN -> this == LARGE;
        case UNSYNCED -> false;
      };
    }
  }

  /** The job of this key. */
  static Optional<Job> of(String key) {
    return Arrays.stream(values()).filter(job -> job.key.equals(key)).findFirst();
  }

  /** All keys. */
  static String keys() {
    return Arrays.stream(values()).map(Job::key).collect(Collectors.joining(", "));
  }

  /** As it is called on the command line and in JSON. */
  String key() {
    return key;
  }

  /** As it is called in tables. */
  String title() {
    return title;
  }

  /** Whether it is done there. */
  boolean isDoneIn(Place.Kind place) {
    return places.has(place);
  }

  /** The filesystem that its time is held against in baselines. */
  Place.Kind reference() {
    return reference;
  }

  /** How often it is done; the median counts. */
  int rounds() {
    return rounds;
  }
}

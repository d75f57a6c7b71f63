package io.hypersync.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;

/** What is measured; {@code docs/benchmark-operations.md} says what each one does. */
public enum Operation {
  /** Overwrites an allocated block: the floor of every durable log. */
  DISK_OVERWRITE("disk-overwrite", "4 KiB overwrite, O_DSYNC"),
  /** Appends, so that the file grows with each write. */
  DISK_APPEND("disk-append", "4 KiB append, fdatasync"),
  /**
   * Sends a datagram to another socket and back: the least that two processes need to communicate.
   */
  LOOPBACK("loopback", "200 B over loopback and back"),
  /** A call that a mount answers at once from memory: measures FUSE itself. */
  STATFS("statfs", "statfs"),
  /** Creates, writes and closes a file. */
  CREATE("create", "create, write 4 KiB, close"),
  /** Overwrites the start of a file. */
  WRITE("write", "write 4 KiB"),
  APPEND("append", "append 100 B"),
  MKDIR("mkdir", "mkdir"),
  CHMOD("chmod", "chmod"),
  RENAME("rename", "rename"),
  UNLINK("unlink", "unlink"),
  STAT("stat", "stat"),
  /** Looks up a name that does not exist. */
  ABSENT("absent", "stat of a missing name"),
  WALK("walk", "walk 500 files, stat each"),
  /** Opens, reads and closes a file. */
  READ("read", "open, read 4 KiB, close"),
  WRITE_1M("write-1m", "write 1 MiB, sequential"),
  READ_1M("read-1m", "read 1 MiB, sequential");

  private final String key;
  private final String title;

  Operation(String key, String title) {
    this.key = key;
    this.title = title;
  }

  /** Returns the operation of a key, as in options and JSON. */
  static Optional<Operation> of(String key) {
    return Arrays.stream(values()).filter(operation -> operation.key.equals(key)).findFirst();
  }

  /** Returns all keys, for messages. */
  static String keys() {
    return Arrays.stream(values()).map(Operation::key).collect(Collectors.joining(", "));
  }

  /** Returns the name in options and JSON. */
  public String key() {
    return key;
  }

  public String title() {
    return title;
  }

  /** Whether it measures the machine and not a filesystem; it is measured in one place only. */
  boolean isOfMachineOnly() {
    return this == DISK_OVERWRITE || this == DISK_APPEND || this == LOOPBACK;
  }

  /** Whether it changes the filesystem. */
  boolean changesSomething() {
    return switch (this) {
      case DISK_OVERWRITE,
          DISK_APPEND,
          CREATE,
          WRITE,
          APPEND,
          MKDIR,
          CHMOD,
          RENAME,
          UNLINK,
          WRITE_1M ->
          true;
      case LOOPBACK, STATFS, STAT, ABSENT, WALK, READ, READ_1M -> false;
    };
  }

  /** Opens one thread's work in a directory, each operation made durable with fsync. */
  public Work durablyIn(Path folder) throws IOException {
    return in(new ThreadDirectory(folder, true));
  }

  /** Opens one thread's work in a directory, without fsync. */
  public Work plainlyIn(Path folder) throws IOException {
    return in(new ThreadDirectory(folder, false));
  }

  /** Opens one thread's work; the result owns {@code folder}. */
  Work in(ThreadDirectory folder) throws IOException {
    return switch (this) {
      case DISK_OVERWRITE -> FileWork.overwriteSynchronously(folder);
      case DISK_APPEND -> FileWork.appendAndDatasync(folder);
      case LOOPBACK -> new LoopbackWork();
      case STATFS -> NamespaceWork.statfs(folder);
      case CREATE -> NamespaceWork.create(folder);
      case WRITE -> FileWork.overwrite(folder);
      case APPEND -> FileWork.append(folder);
      case MKDIR -> NamespaceWork.makeDirectory(folder);
      case CHMOD -> NamespaceWork.changeMode(folder);
      case RENAME -> NamespaceWork.rename(folder);
      case UNLINK -> NamespaceWork.unlink(folder);
      case STAT -> NamespaceWork.stat(folder);
      case ABSENT -> NamespaceWork.absent(folder);
      case WALK -> NamespaceWork.walk(folder);
      case READ -> FileWork.openAndRead(folder);
      case WRITE_1M -> FileWork.sequentialWrite(folder);
      case READ_1M -> FileWork.sequentialRead(folder);
    };
  }
}

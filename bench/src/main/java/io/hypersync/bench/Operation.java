package io.hypersync.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;

/** What is measured; {@code docs/benchmark-operations.md} says what each one does. */
public enum Operation {
  /** The floor of every log: an overwrite of a block that is there. */
  DISK_OVERWRITE("disk-overwrite", "4 KiB overwrite, O_DSYNC"),
  /** The same while the file grows. */
  DISK_APPEND("disk-append", "4 KiB append, fdatasync"),
  /** A datagram there and back: two processes of one machine that say a word to each other. */
  LOOPBACK("loopback", "200 B over loopback and back"),
  /** A call that a mount answers at once, from memory: what FUSE itself takes. */
  STATFS("statfs", "statfs"),
  /** Create, write, close. */
  CREATE("create", "create, write 4 KiB, close"),
  /** Overwrite. */
  WRITE("write", "write 4 KiB"),
  /** Append. */
  APPEND("append", "append 100 B"),
  /** Make a directory. */
  MKDIR("mkdir", "mkdir"),
  /** Change permissions. */
  CHMOD("chmod", "chmod"),
  /** Rename. */
  RENAME("rename", "rename"),
  /** Unlink. */
  UNLINK("unlink", "unlink"),
  /** Attributes. */
  STAT("stat", "stat"),
  /** A name that does not exist. */
  ABSENT("absent", "stat of a missing name"),
  /** A tree. */
  WALK("walk", "walk 500 files, stat each"),
  /** Open, read, close. */
  READ("read", "open, read 4 KiB, close"),
  /** Sequential write. */
  WRITE_1M("write-1m", "write 1 MiB, sequential"),
  /** Sequential read. */
  READ_1M("read-1m", "read 1 MiB, sequential");

  private final String key;
  private final String title;

  Operation(String key, String title) {
    this.key = key;
    this.title = title;
  }

  /** The operation of this key, as options and JSON have it. */
  static Optional<Operation> of(String key) {
    return Arrays.stream(values()).filter(operation -> operation.key.equals(key)).findFirst();
  }

  /** All keys, for messages. */
  static String keys() {
    return Arrays.stream(values()).map(Operation::key).collect(Collectors.joining(", "));
  }

  /** Name in options and JSON. */
  public String key() {
    return key;
  }

  /** Name in the table. */
  public String title() {
    return title;
  }

  /** Whether it tells about the machine, not about a filesystem: it is measured once. */
  boolean isOfMachineOnly() {
    return this == DISK_OVERWRITE || this == DISK_APPEND || this == LOOPBACK;
  }

  /** Whether it leaves the filesystem other than it was. */
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

  /** One thread's work in this folder of a disk, each time made durable with fsync. */
  public Work durablyIn(Path folder) throws IOException {
    return in(new Folder(folder, true));
  }

  /** One thread's work in this folder of a filesystem, with no fsync. */
  public Work plainlyIn(Path folder) throws IOException {
    return in(new Folder(folder, false));
  }

  /** One thread's work in its own folder, which it takes over. */
  Work in(Folder folder) throws IOException {
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

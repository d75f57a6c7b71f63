package io.hypersync.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Locale;

/**
 * A change through one mount, and the look through another that follows at once. Each is of a file
 * or name of its own, told by a number. What is changed was made before, and the other mount's
 * kernel has it in its caches.
 */
enum FirstLook {
  /** A directory is made whose name was looked for in vain, which the kernel remembers. */
  ABSENT("a name that was absent") {
    @Override
    void prepare(Path there, int number) throws IOException {
      if (exists(there.resolve(NEW + number))) {
        throw new IOException(there.resolve(NEW + number) + " is there already");
      }
    }
  },
  /** A directory is made whose name nobody has looked for: the look is a request to the worker. */
  NAME("a name, not asked for before"),
  /** Bytes are overwritten; the other side opens the file and reads them. */
  DATA("data, by open and read") {
    @Override
    void change(Path here, int number, FileChannel file) throws IOException {
      write(file, 0, 1L + number);
    }

    @Override
    boolean sees(Path there, int number) throws IOException {
      return ByteBuffer.wrap(Files.readAllBytes(there.resolve(OLD + number))).getLong()
          == 1L + number;
    }
  },
  /** A file grows; the other side asks how long it is. */
  SIZE("a size") {
    @Override
    void change(Path here, int number, FileChannel file) throws IOException {
      write(file, Long.BYTES, number);
    }

    @Override
    boolean sees(Path there, int number) throws IOException {
      return Files.size(there.resolve(OLD + number)) == 2L * Long.BYTES;
    }
  },
  /** A file gets another name. */
  RENAME("a rename, both names") {
    @Override
    void change(Path here, int number, FileChannel file) throws IOException {
      Files.move(here.resolve(OLD + number), here.resolve(NEW + number));
    }

    @Override
    boolean sees(Path there, int number) {
      return !exists(there.resolve(OLD + number)) && exists(there.resolve(NEW + number));
    }
  },
  /** A file loses its name. */
  UNLINK("an unlink") {
    @Override
    void change(Path here, int number, FileChannel file) throws IOException {
      Files.delete(here.resolve(OLD + number));
    }

    @Override
    boolean sees(Path there, int number) {
      return !exists(there.resolve(OLD + number));
    }
  };

  /** What there is before, with eight bytes of zeros. */
  static final String OLD = "old";

  private static final String NEW = "new";

  private final String title;

  FirstLook(String title) {
    this.title = title;
  }

  /** As in tables. */
  String title() {
    return title;
  }

  /** As in reports for programs. */
  String key() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** What the other side asks for before the change, besides the file's bytes. */
  void prepare(Path there, int number) throws IOException {}

  /**
   * Makes the change, which is acknowledged when this returns: a directory with a new name.
   *
   * @param file open for writing
   */
  void change(Path here, int number, FileChannel file) throws IOException {
    Files.createDirectory(here.resolve(NEW + number));
  }

  /** Looks through the other mount, once; whether the change is seen. */
  boolean sees(Path there, int number) throws IOException {
    return exists(there.resolve(NEW + number));
  }

  private static boolean exists(Path file) {
    return Files.exists(file, LinkOption.NOFOLLOW_LINKS);
  }

  private static void write(FileChannel file, long at, long value) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(Long.BYTES).putLong(0, value);
    if (file.write(bytes, at) != Long.BYTES) {
      throw new IOException("a short write");
    }
  }
}

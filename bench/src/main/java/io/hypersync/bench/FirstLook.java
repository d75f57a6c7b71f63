package io.hypersync.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Locale;

/**
 * A change through one mount, and the look through another mount right after it. Each try uses a
 * file or name of its own, identified by a number. What is changed was created earlier, and the
 * other mount's kernel has it in its caches.
 */
enum FirstLook {
  /**
   * A directory is created with a name that was looked up before, so the kernel has a negative
   * dentry.
   */
  ABSENT("a name that was absent") {
    @Override
    void prepare(Path there, int number) throws IOException {
      if (exists(there.resolve(NEW + number))) {
        throw new IOException(there.resolve(NEW + number) + " is there already");
      }
    }
  },
  /**
   * A directory is created with a name that was never looked up: the look is a request to the
   * worker.
   */
  NAME("a name, not asked for before"),
  /** Bytes are overwritten; the other mount opens the file and reads them. */
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
  /** A file grows; the other mount asks for its size. */
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

  /** Prefix of files that exist before the change; each contains eight zero bytes. */
  static final String OLD = "old";

  private static final String NEW = "new";

  private final String title;

  FirstLook(String title) {
    this.title = title;
  }

  String title() {
    return title;
  }

  /** Name in JSON. */
  String key() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Fills the other mount's caches before the change, besides the file's contents. */
  void prepare(Path there, int number) throws IOException {}

  /**
   * Makes the change; it is acknowledged when this returns. By default, creates a directory with a
   * new name.
   *
   * @param here directory on the mount that changes
   * @param file the file of this number, open for writing
   */
  void change(Path here, int number, FileChannel file) throws IOException {
    Files.createDirectory(here.resolve(NEW + number));
  }

  /** Looks once through the other mount; returns whether the change is visible. */
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

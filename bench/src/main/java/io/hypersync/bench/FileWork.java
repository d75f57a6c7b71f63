package io.hypersync.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Operations on the bytes of one open file. */
final class FileWork implements Work {
  private static final int BLOCK_BYTES = 4096;
  private static final int LINE_BYTES = 100;
  private static final int MEBIBYTE = 1 << 20;

  /** Size of a file whose blocks are overwritten in turn: small enough to stay in every cache. */
  private static final long BLOCKS_BYTES = MEBIBYTE;

  private static final long READ_FILE_BYTES = 4L * MEBIBYTE;
  private static final long WRITE_FILE_BYTES = 16L * MEBIBYTE;

  private final ThreadDirectory folder;
  private final FileChannel file;
  private final Step step;

  @FunctionalInterface
  private interface Step {
    void run() throws IOException;
  }

  private FileWork(ThreadDirectory folder, FileChannel file, Step step) {
    this.folder = folder;
    this.file = file;
    this.step = step;
  }

  /** Overwrites the first 4 KiB of a file. */
  static Work overwrite(ThreadDirectory folder) throws IOException {
    Payload payload = new Payload(BLOCK_BYTES);
    FileChannel file = open(folder.fresh());
    writeAll(file, payload.next());
    return new FileWork(
        folder,
        file,
        () -> {
          writeAll(file.position(0), payload.next());
          folder.sync(file);
        });
  }

  /** Appends 100 bytes to a file opened with O_APPEND. */
  static Work append(ThreadDirectory folder) throws IOException {
    Payload payload = new Payload(LINE_BYTES);
    FileChannel file =
        FileChannel.open(folder.fresh(), StandardOpenOption.CREATE_NEW, StandardOpenOption.APPEND);
    return new FileWork(
        folder,
        file,
        () -> {
          writeAll(file, payload.next());
          folder.sync(file);
        });
  }

  /** Opens a file, reads its 4 KiB and closes it. */
  static Work openAndRead(ThreadDirectory folder) throws IOException {
    Path path = folder.fresh();
    FileChannel written = open(path);
    writeAll(written, new Payload(BLOCK_BYTES).next());
    ByteBuffer into = ByteBuffer.allocateDirect(BLOCK_BYTES);
    return new FileWork(
        folder,
        written,
        () -> {
          try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ)) {
            readAll(file, into.clear());
          }
        });
  }

  /** Writes the next MiB of a file of 16 MiB; starts again at its beginning when it is full. */
  static Work sequentialWrite(ThreadDirectory folder) throws IOException {
    Payload payload = new Payload(MEBIBYTE);
    FileChannel file = open(folder.fresh());
    return new FileWork(
        folder,
        file,
        () -> {
          if (file.position() == WRITE_FILE_BYTES) {
            file.position(0);
          }
          writeAll(file, payload.next());
          folder.sync(file);
        });
  }

  /** Reads the next MiB of a file of 4 MiB; starts again at its beginning at its end. */
  static Work sequentialRead(ThreadDirectory folder) throws IOException {
    Path path = folder.fresh();
    fill(path, READ_FILE_BYTES);
    FileChannel file = FileChannel.open(path, StandardOpenOption.READ);
    ByteBuffer into = ByteBuffer.allocateDirect(MEBIBYTE);
    return new FileWork(
        folder,
        file,
        () -> {
          if (file.position() == READ_FILE_BYTES) {
            file.position(0);
          }
          readAll(file, into.clear());
        });
  }

  /** Appends 4 KiB to a growing file and calls fdatasync, like a naive log. */
  static Work appendAndDatasync(ThreadDirectory folder) throws IOException {
    Payload payload = new Payload(BLOCK_BYTES);
    FileChannel file = open(folder.fresh());
    return new FileWork(
        folder,
        file,
        () -> {
          writeAll(file, payload.next());
          file.force(false);
        });
  }

  /**
   * Overwrites the next 4 KiB of a fully allocated file opened with O_DSYNC: measures the disk
   * itself.
   */
  static Work overwriteSynchronously(ThreadDirectory folder) throws IOException {
    Path path = folder.fresh();
    fill(path, BLOCKS_BYTES);
    Payload payload = new Payload(BLOCK_BYTES);
    FileChannel file = FileChannel.open(path, StandardOpenOption.WRITE, StandardOpenOption.DSYNC);
    return new FileWork(
        folder,
        file,
        () -> {
          if (file.position() == BLOCKS_BYTES) {
            file.position(0);
          }
          writeAll(file, payload.next());
        });
  }

  @Override
  public void run() throws IOException {
    step.run();
  }

  @Override
  public void close() throws IOException {
    file.close();
    folder.close();
  }

  /** Writes all remaining bytes at the file's position. */
  static void writeAll(FileChannel file, ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      file.write(bytes);
    }
  }

  private static void readAll(FileChannel file, ByteBuffer into) throws IOException {
    while (into.hasRemaining()) {
      if (file.read(into) < 0) {
        throw new IOException("the file ends too early");
      }
    }
  }

  /**
   * Fills a file; a small one in blocks of 4 KiB, so that the page cache keeps single pages and a
   * sync writes one page, not a large folio.
   */
  private static void fill(Path path, long bytes) throws IOException {
    try (FileChannel file = open(path)) {
      Payload payload = new Payload(bytes > BLOCKS_BYTES ? MEBIBYTE : BLOCK_BYTES);
      while (file.position() < bytes) {
        writeAll(file, payload.next());
      }
      file.force(true);
    }
  }

  private static FileChannel open(Path path) throws IOException {
    return FileChannel.open(
        path, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE);
  }
}

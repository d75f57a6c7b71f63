package io.hypersync.bench;

import io.hypersync.cli.demo.Narrator;
import io.hypersync.cli.render.Quantities;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * An ext4 filesystem in a file that is as fast as the disk below it. Every block of the file is
 * allocated and written, so that no write has to allocate; and ext4's own tables are complete, so
 * that its kernel thread writes nothing during a measurement.
 *
 * @param file that is created
 * @param bytes its size
 */
record DirsyncImage(Path file, long bytes) {
  /** What the suites write in up to ten seconds for each figure, and half as much again. */
  static final long USUAL_BYTES = 2L << 30;

  /** As many inodes as an ext4 of twice the size has by default, because most files are small. */
  private static final int BYTES_PER_INODE = 8192;

  private static final int BLOCK_BYTES = 1 << 20;
  private static final int STEPS_TO_TELL = 4;

  /** Progress is printed only if the disk is slower than this. */
  private static final long TELL_AFTER_NS = 5_000_000_000L;

  /**
   * Creates the filesystem.
   *
   * @throws IOException if the disk has no room for it, or there is no mkfs.ext4
   */
  void make(Narrator narrator) throws IOException, InterruptedException {
    long room = Files.getFileStore(file.getParent()).getUsableSpace();
    if (room < bytes) {
      throw new IOException(
          "it needs "
              + Quantities.bytes(bytes)
              + " of the disk, of which "
              + Quantities.bytes(room)
              + " are free");
    }
    try (FileChannel made =
        FileChannel.open(
            file,
            StandardOpenOption.CREATE_NEW,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE)) {
      made.write(ByteBuffer.allocate(1), bytes - 1);
      Command.run(
          "mkfs.ext4",
          "-q",
          "-F",
          "-i",
          Integer.toString(BYTES_PER_INODE),
          "-E",
          "nodiscard,lazy_itable_init=0,lazy_journal_init=0",
          file.toString());
      // After mkfs, which leaves holes where it means zeros.
      writeAllOfItAgain(made, narrator);
    }
  }

  private void writeAllOfItAgain(FileChannel made, Narrator narrator) throws IOException {
    long tellAtNs = System.nanoTime() + TELL_AFTER_NS;
    long tellAt = 0;
    ByteBuffer block = ByteBuffer.allocateDirect(BLOCK_BYTES);
    for (long at = 0; at < bytes; ) {
      int read = made.read(block.clear(), at);
      if (read <= 0) {
        throw new IOException(file + " ends at " + at);
      }
      block.flip();
      while (block.hasRemaining()) {
        at += made.write(block, at);
      }
      if (at >= tellAt) {
        made.force(false); // so that the bytes reported as written are on the disk
        tellAt = at + bytes / STEPS_TO_TELL;
        if (System.nanoTime() - tellAtNs > 0 && at < bytes) {
          narrator.say(
              "writing an ext4 of %s: %s are there", Quantities.bytes(bytes), Quantities.bytes(at));
        }
      }
    }
    made.force(true);
  }
}

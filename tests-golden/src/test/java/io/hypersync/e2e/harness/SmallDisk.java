package io.hypersync.e2e.harness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A disk of its own for the state of a daemon, so small that a test fills it. */
public final class SmallDisk {
  /** Room for a leader's preallocated log, the reserve of its chunk store, and some data. */
  public static final int LEADER_MIB = 600;

  private final Path disk;

  private SmallDisk(Path disk) {
    this.disk = disk;
  }

  /**
   * Puts the state of a daemon that has not begun on such a disk.
   *
   * @param daemon {@code leader}, or the name of a worker
   */
  public static SmallDisk of(TestCluster cluster, String daemon, int mebibytes)
      throws IOException, InterruptedException {
    Path disk = cluster.tmpfs(daemon + "-disk", mebibytes);
    cluster.putState(daemon, disk.resolve("state"));
    return new SmallDisk(disk);
  }

  /** As {@link #leave}; a disk on which less than that is free stays as it is. */
  public void leaveAtMost(long bytes, String ballast) throws IOException, InterruptedException {
    if (Files.getFileStore(disk).getUsableSpace() > bytes) {
      var _ = leave(bytes, ballast);
    }
  }

  /** Gives back the room that such a file takes. */
  public void giveBack(String ballast) throws IOException {
    Files.deleteIfExists(disk.resolve(ballast));
  }

  /**
   * Takes room, so that so much is free.
   *
   * @param ballast the name of the file that takes it; it grows if it is there
   * @return that file; who deletes it gives the room back
   */
  public Path leave(long bytes, String ballast) throws IOException, InterruptedException {
    Path file = disk.resolve(ballast);
    long size = Files.exists(file) ? Files.size(file) : 0;
    long free = Files.getFileStore(disk).getUsableSpace();
    assertTrue(free > bytes, () -> "only " + free + " bytes are free on " + disk);
    Shell.must(disk, "fallocate", "-l", Long.toString(size + free - bytes), file.toString());
    return file;
  }

  /** Writes to the beginning of a file by one write(2), which is whole or not there. */
  public static void writeAtOnce(Path file, byte[] bytes) throws IOException {
    try (FileChannel out = FileChannel.open(file, StandardOpenOption.WRITE)) {
      assertEquals(bytes.length, out.write(ByteBuffer.wrap(bytes), 0), "a short write");
    }
  }
}

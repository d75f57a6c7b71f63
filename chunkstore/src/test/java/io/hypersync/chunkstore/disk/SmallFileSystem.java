package io.hypersync.chunkstore.disk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A small filesystem in memory, mounted for a test that fills it; needs root. */
final class SmallFileSystem implements AutoCloseable {
  private final Path mountPoint;

  SmallFileSystem(Path mountPoint, int megabytes) throws IOException {
    this(mountPoint, "tmpfs", "size=" + megabytes + "m");
  }

  private SmallFileSystem(Path mountPoint, String type, String option) throws IOException {
    this.mountPoint = Files.createDirectories(mountPoint);
    run("mount", "-t", type, "-o", option, type, mountPoint.toString());
  }

  /** A filesystem limited only by the machine's memory, on which O_DIRECT fails. */
  static SmallFileSystem ramfs(Path mountPoint) throws IOException {
    return new SmallFileSystem(mountPoint, "ramfs", "mode=755");
  }

  Path resolve(String name) {
    return mountPoint.resolve(name);
  }

  /** Uses up some space until {@link #releaseBallast}. */
  void loadBallast(int megabytes) throws IOException {
    Files.write(resolve("ballast"), new byte[megabytes << 20]);
  }

  /** Uses up all free space until {@link #releaseBallast}. */
  void fill() throws IOException {
    byte[] page = new byte[4096];
    try (OutputStream ballast = Files.newOutputStream(resolve("ballast"))) {
      while (true) {
        ballast.write(page);
      }
    } catch (IOException full) {
      assertTrue(Files.size(resolve("ballast")) > 0, full::toString);
    }
  }

  void releaseBallast() throws IOException {
    Files.delete(resolve("ballast"));
  }

  @Override
  public void close() throws IOException {
    run("umount", mountPoint.toString());
  }

  private static void run(String... command) throws IOException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(
        0, process.onExit().join().exitValue(), "needs root: " + List.of(command) + ": " + output);
  }
}

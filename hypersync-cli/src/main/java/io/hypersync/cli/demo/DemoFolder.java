package io.hypersync.cli.demo;

import io.hypersync.cli.daemons.Mounts;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/**
 * Where a demo has everything:
 *
 * <pre>
 * workspace/            the leader's workspace folder
 * a/ws/demo             mount A        a/local/demo   its local scratch      a/state
 * b/ws/demo             mount B        b/local/demo   its local scratch      b/state
 * logs/                 what the daemons say
 * gitconfig
 * </pre>
 *
 * @param root the folder
 */
public record DemoFolder(Path root) {
  /** Makes one, under a name of its own in this folder. */
  public static DemoFolder create(Path parent) throws IOException {
    DemoFolder folder = new DemoFolder(Files.createTempDirectory(parent, "hypersync-demo-"));
    Files.createDirectories(folder.log("x").getParent());
    return folder;
  }

  Path workspace() {
    return root.resolve("workspace");
  }

  /** Where a worker mounts the workspace. */
  public Path mount(String worker) {
    return root.resolve(worker).resolve("ws").resolve("demo");
  }

  Path state(String worker) {
    return root.resolve(worker).resolve("state");
  }

  Path log(String daemon) {
    return root.resolve("logs").resolve(daemon + ".log");
  }

  Path gitConfig() {
    return root.resolve("gitconfig");
  }

  /**
   * Removes it all, and never what is mounted in it.
   *
   * @throws IOException if something is still mounted there
   */
  public void delete() throws IOException {
    for (Path mount : Mounts.all()) {
      if (mount.startsWith(root)) {
        throw new IOException(mount + " is still mounted; see ./hypersync umount " + mount);
      }
    }
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<Path>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.delete(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path dir, @Nullable IOException failure)
              throws IOException {
            Files.delete(dir);
            return FileVisitResult.CONTINUE;
          }
        });
  }
}

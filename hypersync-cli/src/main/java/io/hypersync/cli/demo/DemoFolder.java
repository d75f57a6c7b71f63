package io.hypersync.cli.demo;

import io.hypersync.cli.daemons.Mounts;
import io.hypersync.runtime.file.DurableFiles;
import io.hypersync.worker.fuse.dev.FolderCover;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Directory layout of a demo:
 *
 * <pre>
 * workspace/            the leader's workspace folder
 * a/ws/demo             mount A        a/local/demo   its local scratch      a/state
 * b/ws/demo             mount B        b/local/demo   its local scratch      b/state
 * logs/                 output of the daemons
 * gitconfig
 * </pre>
 *
 * @param root the directory that contains all of it
 */
public record DemoFolder(Path root) {
  /** Makes a new directory with a unique name in {@code parent}. */
  public static DemoFolder create(Path parent) throws IOException {
    DemoFolder folder = new DemoFolder(Files.createTempDirectory(parent, "hypersync-demo-"));
    Files.createDirectories(folder.log("x").getParent());
    return folder;
  }

  Path workspace() {
    return root.resolve("workspace");
  }

  /** Returns the leader's state directory. */
  public Path leaderState() {
    return workspace().resolve("state");
  }

  /** Returns where a worker mounts the workspace. */
  public Path mount(String worker) {
    return root.resolve(worker).resolve("ws").resolve("demo");
  }

  /** Returns a worker's state directory. */
  public Path state(String worker) {
    return root.resolve(worker).resolve("state");
  }

  Path log(String daemon) {
    return root.resolve("logs").resolve(daemon + ".log");
  }

  Path gitConfig() {
    return root.resolve("gitconfig");
  }

  /**
   * Removes the directory; never what is mounted in it.
   *
   * @throws IOException if something is still mounted there
   */
  public void delete() throws IOException {
    for (Path mount : Mounts.all()) {
      if (mount.startsWith(root)) {
        throw new IOException(mount + " is still mounted; see ./hypersync umount " + mount);
      }
    }
    try (DirectoryStream<Path> all = Files.newDirectoryStream(root)) {
      for (Path folder : all) {
        Path mount = mount(folder.getFileName().toString());
        if (Files.isDirectory(mount)) {
          var _ = FolderCover.clear(mount);
        }
      }
    }
    DurableFiles.deleteTree(root);
  }
}

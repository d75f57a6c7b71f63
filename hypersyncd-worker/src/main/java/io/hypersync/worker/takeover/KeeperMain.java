package io.hypersync.worker.takeover;

import io.hypersync.worker.fuse.dev.DescriptorSocket;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** The process that keeps the mount of a worker; see {@link MountKeeper}. */
public final class KeeperMain {
  private KeeperMain() {}

  /**
   * Writes a byte when it can take a mount, and ends when that is gone.
   *
   * @param args the path of the socket
   */
  public static void main(String[] args) throws IOException {
    Path path = Path.of(args[0]);
    Files.deleteIfExists(path); // of a keeper that was killed: a live one was asked before
    try (DescriptorSocket listener = DescriptorSocket.listen(path)) {
      Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
      try (OutputStream out = new FileOutputStream(FileDescriptor.out)) {
        out.write('.');
      }
      new MountKeeper(listener).run();
    } finally {
      Files.deleteIfExists(path);
    }
  }
}

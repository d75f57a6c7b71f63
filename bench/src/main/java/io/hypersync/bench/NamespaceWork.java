package io.hypersync.bench;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;

/** Operations on names. */
final class NamespaceWork {
  private static final int UNLINK_STOCK = 64;
  private static final int BLOCK_BYTES = 4096;

  private NamespaceWork() {}

  /** A new file, 4 KiB into it, closed. */
  static Work create(Folder folder) {
    Payload payload = new Payload(BLOCK_BYTES);
    return new InFolder(folder) {
      @Override
      public void run() throws IOException {
        try (FileChannel file =
            FileChannel.open(
                folder.fresh(), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
          FileWork.writeAll(file, payload.next());
          folder.sync(file);
        }
        folder.sync();
      }
    };
  }

  /** A new directory. */
  static Work makeDirectory(Folder folder) {
    return new InFolder(folder) {
      @Override
      public void run() throws IOException {
        Files.createDirectory(folder.fresh());
        folder.sync();
      }
    };
  }

  /** One file, renamed again and again within its directory to a name that is free. */
  static Work rename(Folder folder) throws IOException {
    Path first = Files.createFile(folder.fresh());
    Path other = folder.fresh();
    return new InFolder(folder) {
      private Path from = first;
      private Path to = other;

      @Override
      public void run() throws IOException {
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
        folder.sync();
        Path was = from;
        from = to;
        to = was;
      }
    };
  }

  /** Files that were made before, removed one by one. */
  static Work unlink(Folder folder) {
    return new InFolder(folder) {
      private final ArrayDeque<Path> files = new ArrayDeque<>();

      @Override
      public int stock() throws IOException {
        while (files.size() < UNLINK_STOCK) {
          files.add(Files.createFile(folder.fresh()));
        }
        return UNLINK_STOCK;
      }

      @Override
      public void run() throws IOException {
        Files.delete(files.remove());
        folder.sync();
      }
    };
  }

  /** The attributes of one file. */
  static Work stat(Folder folder) throws IOException {
    Path file = Files.createFile(folder.fresh());
    return new InFolder(folder) {
      @Override
      public void run() throws IOException {
        var _ = Files.getAttribute(file, "unix:ino");
      }
    };
  }

  private abstract static class InFolder implements Work {
    private final Folder folder;

    InFolder(Folder folder) {
      this.folder = folder;
    }

    @Override
    public void close() throws IOException {
      folder.close();
    }
  }
}

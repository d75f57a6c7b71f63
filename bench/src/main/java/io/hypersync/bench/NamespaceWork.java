package io.hypersync.bench;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayDeque;
import java.util.Set;
import java.util.stream.Stream;

/** Operations on names and attributes. */
final class NamespaceWork {
  private static final int UNLINK_STOCK = 64;
  private static final int BLOCK_BYTES = 4096;
  private static final int WALK_DIRECTORIES = 20;
  private static final int WALK_FILES = 500;

  private static final Set<PosixFilePermission> OWNER =
      PosixFilePermissions.fromString("rw-------");
  private static final Set<PosixFilePermission> EVERYBODY =
      PosixFilePermissions.fromString("rw-r--r--");

  private NamespaceWork() {}

  /** Creates a file, writes 4 KiB and closes it. */
  static Work create(ThreadDirectory folder) {
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

  static Work makeDirectory(ThreadDirectory folder) {
    return new InFolder(folder) {
      @Override
      public void run() throws IOException {
        Files.createDirectory(folder.fresh());
        folder.sync();
      }
    };
  }

  /** Changes the permissions of one file to and fro. */
  static Work changeMode(ThreadDirectory folder) throws IOException {
    Path path = Files.createFile(folder.fresh());
    FileChannel file = FileChannel.open(path, StandardOpenOption.READ);
    return new InFolder(folder) {
      private boolean open;

      @Override
      public void run() throws IOException {
        open = !open;
        Files.setPosixFilePermissions(path, open ? EVERYBODY : OWNER);
        folder.sync(file);
      }

      @Override
      public void close() throws IOException {
        file.close();
        super.close();
      }
    };
  }

  /** Asks for the free space; the kernel never answers this from a cache. */
  static Work statfs(ThreadDirectory folder) throws IOException {
    FileStore store = Files.getFileStore(Files.createFile(folder.fresh()));
    return new InFolder(folder) {
      @Override
      public void run() throws IOException {
        var _ = store.getUnallocatedSpace();
      }
    };
  }

  /** Renames one file to and fro within its directory, to a name that is free. */
  static Work rename(ThreadDirectory folder) throws IOException {
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

  /** Removes files, which are created outside the measurement. */
  static Work unlink(ThreadDirectory folder) {
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

  /** Reads the attributes of one file. */
  static Work stat(ThreadDirectory folder) throws IOException {
    Path file = Files.createFile(folder.fresh());
    return new InFolder(folder) {
      @Override
      public void run() throws IOException {
        var _ = Files.getAttribute(file, "unix:ino");
      }
    };
  }

  /** Looks up a name that does not exist, like a compiler along its include path. */
  static Work absent(ThreadDirectory folder) {
    Path missing = folder.fresh();
    return new InFolder(folder) {
      @Override
      public void run() throws IOException {
        if (Files.exists(missing)) {
          throw new IOException(missing + " is there");
        }
      }
    };
  }

  /** Lists a tree that does not change, and reads the attributes of every file. */
  static Work walk(ThreadDirectory folder) throws IOException {
    Path tree = Files.createDirectory(folder.fresh());
    for (int d = 0; d < WALK_DIRECTORIES; d++) {
      Path directory = Files.createDirectory(tree.resolve("directory-" + d));
      for (int f = 0; f < WALK_FILES / WALK_DIRECTORIES; f++) {
        Files.createFile(directory.resolve("file-" + f));
      }
    }
    return new InFolder(folder) {
      @Override
      public void run() throws IOException {
        try (Stream<Path> all = Files.walk(tree)) {
          long seen = all.filter(path -> !Files.isSymbolicLink(path)).count();
          if (seen != 1 + WALK_DIRECTORIES + WALK_FILES) {
            throw new IOException("the walk saw " + seen + " nodes");
          }
        }
      }
    };
  }

  private abstract static class InFolder implements Work {
    private final ThreadDirectory folder;

    InFolder(ThreadDirectory folder) {
      this.folder = folder;
    }

    @Override
    public void close() throws IOException {
      folder.close();
    }
  }
}

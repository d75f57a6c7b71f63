package io.hypersync.chunkstore.database;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.text.FileFailures;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.rocksdb.NativeLibraryLoader;
import org.rocksdb.RocksDB;

/**
 * Loads RocksDB's native library, once per process. RocksDB itself unpacks 17 MB into the temporary
 * directory and deletes the file at exit, which never happens if the process is killed; here the
 * file is deleted as soon as it has been loaded.
 */
final class RocksLibrary {
  private static boolean loaded;

  private RocksLibrary() {}

  static synchronized void load() {
    if (loaded) {
      return;
    }
    try {
      Path directory = Files.createTempDirectory("hypersync-rocksdb-");
      try {
        NativeLibraryLoader.getInstance().loadLibrary(directory.toString());
      } finally {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
          for (Path file : files) {
            Files.delete(file);
          }
        }
        Files.delete(directory);
      }
    } catch (IOException e) {
      throw new DatabaseException(Errno.EIO, "cannot load RocksDB: " + FileFailures.describe(e), e);
    }
    RocksDB.loadLibrary();
    loaded = true;
  }
}

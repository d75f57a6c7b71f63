package io.hypersync.runtime.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StateLockTest {
  @TempDir private Path parent;

  @ParameterizedTest(name = "{0} in the directory: {1}")
  @CsvSource({
    "oplog, rwx------",
    "chunks, rwx------",
    "enrolment.token, rwx------",
    "worker.toml, rwx------",
    "cut, rwx------",
    "cut.unfinished, rwx------",
    "holiday.jpg, rwxr-xr-x",
  })
  void aDirectoryWithoutOtherFilesIsClosedToOtherUsers(String name, String permissions)
      throws IOException {
    Path state = Files.createDirectory(parent.resolve("state"));
    Files.createFile(state.resolve(name));
    Files.setPosixFilePermissions(state, PosixFilePermissions.fromString("rwxr-xr-x"));

    try (StateLock _ = StateLock.acquire(state, "a test")) {
      assertEquals(
          permissions, PosixFilePermissions.toString(Files.getPosixFilePermissions(state)));
    }
  }
}

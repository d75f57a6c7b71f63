package io.hypersync.worker.fuse.dev;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.InodeNo;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls that need no FUSE mount, with openat2 and as where there is none. */
class NodeCallsTest {
  private static final InodeNo FOLDER = new InodeNo(7);

  @TempDir private Path dir;

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whatANameLeadsToIsTouched(boolean mayUseOpenat2) throws IOException {
    Path folder = Files.createDirectory(dir.resolve("folder"));
    Path file = Files.createFile(folder.resolve("file"));
    NodeCalls calls = NodeCalls.of(dir, mayUseOpenat2);
    assertEquals(0, calls.adopt(FOLDER, "folder".getBytes(US_ASCII)));
    assertEquals(0, calls.touch(FOLDER, "file".getBytes(US_ASCII), true));
    assertEquals(FileTime.fromMillis(0), Files.getLastModifiedTime(file));
    assertEquals(-Errno.ENOENT.code(), calls.touch(FOLDER, "nothing".getBytes(US_ASCII), true));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whatIsMountedOnItIsNot(boolean mayUseOpenat2) throws IOException {
    NodeCalls calls = NodeCalls.of(Path.of("/"), mayUseOpenat2);
    assertEquals(0, calls.adopt(FOLDER, ".".getBytes(US_ASCII)));
    assertEquals(-Errno.EXDEV.code(), calls.touch(FOLDER, "proc".getBytes(US_ASCII), true));
  }
}

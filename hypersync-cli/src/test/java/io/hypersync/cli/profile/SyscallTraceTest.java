package io.hypersync.cli.profile;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Lines in the format of strace 6, and how they are counted. */
class SyscallTraceTest {
  @ParameterizedTest(name = "{1}: {2}")
  @CsvSource(
      delimiter = '|',
      value = {
        // started in the mount | line | on the mount, elsewhere, not a call
        "false | 12 openat(AT_FDCWD</ws/t/src>, \"a\", O_RDONLY) = 3</ws/t/src/a> | here",
        "false | 12    openat(AT_FDCWD</root>, \"/ws/t/a\", O_RDONLY) = 3</ws/t/a> | here",
        "false | 12 read(3</ws/t/a>, \"x\"..., 512) = 1 | here",
        "false | 12 getdents64(3</ws/t>, 0x55 /* 3 entries */, 32768) = 80 | here",
        "false | 12 stat(\"/ws/t\", {st_mode=S_IFDIR}) = 0 | here",
        "false | 12 read(3</ws/tea/a>, \"x\", 512) = 1 | elsewhere",
        "false | 12 read(3</etc/passwd>, \"/ws/t\", 512) = 1 | elsewhere",
        "false | 12 unlink(\"a\") = 0 | elsewhere",
        "true  | 12 unlink(\"a\") = 0 | here",
        "true  | 12 unlink(\"/etc/a\") = 0 | elsewhere",
        "false | 12 read(3</ws/t/a>,  <unfinished ...> | here",
        "false | 12 <... read resumed>\"x\", 512) = 1 | none",
        "false | 12 +++ exited with 0 +++ | none",
        "false | garbage | none",
      })
  void aCallIsOnTheMountIfItNamesAPathThere(boolean inMount, String line, String counted) {
    SyscallTrace trace = new SyscallTrace(Path.of("/ws/t"), inMount);
    trace.line(line);
    JsonNode tree = trace.tree();
    assertEquals(counted.equals("none") ? 0 : 1, tree.path("all").size(), tree::toString);
    assertEquals(counted.equals("here") ? 1 : 0, tree.path("on_mount").size(), tree::toString);
  }

  @Test
  void sharedWritableMapsAreCountedAndWhatTheKernelSaidOfThem() {
    SyscallTrace trace = new SyscallTrace(Path.of("/ws/t"), false);
    String[] lines = {
      "1 mmap(NULL, 4096, PROT_READ|PROT_WRITE, MAP_SHARED, 3</ws/t/db>, 0) = -1 ENODEV (No such device)",
      "1 mmap(NULL, 4096, PROT_READ|PROT_WRITE, MAP_SHARED, 3</ws/t/db>, 0) = 0x7f00",
      "1 mmap(NULL, 4096, PROT_READ, MAP_SHARED, 3</ws/t/db>, 0) = 0x7f00",
      "1 mmap(NULL, 4096, PROT_READ|PROT_WRITE, MAP_PRIVATE, 3</ws/t/db>, 0) = 0x7f00",
      "1 mmap(NULL, 4096, PROT_READ|PROT_WRITE, MAP_SHARED, 3</tmp/db>, 0) = 0x7f00",
    };
    for (String line : lines) {
      trace.line(line);
    }
    assertEquals(2, trace.tree().path("shared_writable_maps").asInt());
    assertEquals(1, trace.tree().path("shared_writable_maps_refused").asInt());
    assertEquals(4, trace.tree().path("on_mount").path("mmap").asInt());
  }
}

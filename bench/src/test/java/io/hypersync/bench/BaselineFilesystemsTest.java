package io.hypersync.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.cli.demo.Cleanup;
import io.hypersync.cli.demo.Narrator;
import io.hypersync.runtime.admin.UserError;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("A filesystem beside ours")
@Tag("mount")
final class BaselineFilesystemsTest {
  private static final long IMAGE_BYTES = 64L << 20;

  private final Narrator narrator = new Narrator(new PrintWriter(new StringWriter()));

  @TempDir private Path folder;

  @ParameterizedTest
  @EnumSource(
      value = MeasuredFilesystem.Kind.class,
      names = {"PLAIN", "UNSYNCED", "DIRSYNC", "BINDFS"})
  @DisplayName("can be measured, or is left out and said to be; nothing of it stays mounted")
  void measured(MeasuredFilesystem.Kind kind) throws IOException, InterruptedException {
    BaselineFilesystems baselines;
    try (Cleanup cleanup = new Cleanup(narrator)) {
      baselines = new BaselineFilesystems(narrator, cleanup, folder, IMAGE_BYTES);
      baselines.add(kind);
      for (MeasuredFilesystem place : baselines.places()) {
        assertEquals(kind, place.kind());
        Sample sample =
            new Meter(0, Duration.ofMillis(20).toNanos()).measure(Operation.CREATE, place, 1);
        assertTrue(sample.operations() > 0, sample::toString);
      }
    }
    assertEquals(1, baselines.places().size() + baselines.leftOut().size());
    assertFalse(Files.readString(Path.of("/proc/self/mounts")).contains(folder.toString()));
  }

  @Test
  @DisplayName("that a script sets up is where the script says, and taken down in the end")
  void peer() throws IOException, InterruptedException {
    Path script =
        script(
            """
            #!/bin/sh
            echo "$1" >> "$2/../calls"
            case $1 in
              up) echo some words; echo "$2/mount" ;;
              daemons) echo master 17; echo chunk server 4711 ;;
            esac
            """);
    try (Cleanup cleanup = new Cleanup(narrator)) {
      BaselineFilesystems baselines = new BaselineFilesystems(narrator, cleanup, folder);
      baselines.addPeer(script);
      MeasuredFilesystem place = baselines.places().getFirst();
      assertEquals(folder.resolve("peer/mount/bench"), place.root());
      assertTrue(place.needsSync());
      assertEquals(Map.of("master", 17L, "chunk server", 4711L), place.daemons());
    }
    assertEquals(List.of("up", "daemons", "down"), Files.readAllLines(folder.resolve("calls")));
  }

  @Test
  @DisplayName(
      "that a script cannot set up ends the run with what the script says, and is taken down")
  void failingPeer() throws IOException {
    Path script = script("#!/bin/sh\necho $1 >> $2/../calls\necho no network\n[ $1 = down ]\n");
    try (Cleanup cleanup = new Cleanup(narrator)) {
      BaselineFilesystems baselines = new BaselineFilesystems(narrator, cleanup, folder);
      UserError failed = assertThrows(UserError.class, () -> baselines.addPeer(script));
      assertTrue(failed.toString().contains("peer-script"), failed::toString);
    }
    assertEquals(List.of("up", "down"), Files.readAllLines(folder.resolve("calls")));
  }

  private Path script(String text) throws IOException {
    Path script = folder.resolve("peer-script");
    Files.writeString(script, text);
    return Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
  }
}

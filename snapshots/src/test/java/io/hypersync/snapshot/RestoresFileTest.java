package io.hypersync.snapshot;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.hypersync.model.hash.Blake3;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.trie.PageWriter;
import io.hypersync.model.trie.RootVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The file in which a leader says what it holds because entries restore it. */
class RestoresFileTest {
  private static final byte[] MANIFEST =
      Manifest.genesis(new WorkspaceId(1, 2), RootVersion.LATEST)
          .write(
              PageWriter.complete(
                  RootVersion.LATEST,
                  _ -> {
                    throw new AssertionError("it is in the manifest");
                  }))
          .bytes();

  @TempDir private Path directory;

  private static HeldRestore held(long entry, boolean isExact, long sinceNs) {
    return new HeldRestore(
        entry, isExact, new Snapshot(0, sinceNs, 0, 0, false, "", MANIFEST.clone()));
  }

  private static String text(List<HeldRestore> held) {
    List<String> texts = new ArrayList<>();
    for (HeldRestore each : held) {
      assertArrayEquals(MANIFEST, each.state().manifest());
      texts.add(
          each.entry()
              + " "
              + each.isExact()
              + " "
              + each.state().index()
              + " "
              + each.state().takenNs());
    }
    return String.join(", ", texts);
  }

  @Test
  void whatIsWrittenIsRead() throws IOException {
    RestoresFile file = new RestoresFile(directory);
    assertEquals(List.of(), file.read());
    file.write(List.of(held(7, true, 1), held(9, false, 2)));
    assertEquals("7 true 0 1, 9 false 0 2", text(file.read()));
    file.write(List.of());
    assertEquals(List.of(), file.read());
  }

  @Test
  void theBytesAreThoseOfTheDiagram() {
    String hex = HexFormat.of().formatHex(RestoresFile.encode(List.of(held(7, true, 1))));
    String covered =
        "4853524553544f52"
            + "01"
            + "00000001"
            + "01"
            + "0000000000000007"
            + "0000000000000001"
            + HexFormat.of().toHexDigits(MANIFEST.length)
            + HexFormat.of().formatHex(MANIFEST);
    assertEquals(covered + Blake3.hash(HexFormat.of().parseHex(covered)), hex);
  }

  @Test
  void whateverIsDamagedIsFound() throws IOException {
    byte[] bytes = RestoresFile.encode(List.of(held(7, true, 1)));
    for (int i = 0; i < bytes.length; i++) {
      byte[] damaged = bytes.clone();
      damaged[i] ^= 1;
      assertNull(read(damaged), "byte " + i);
    }
    for (int length = 0; length < bytes.length; length++) {
      assertNull(read(Arrays.copyOf(bytes, length)), length + " bytes");
    }
    assertNull(read(Arrays.copyOf(bytes, bytes.length + 1)));
  }

  private List<HeldRestore> read(byte[] bytes) throws IOException {
    Files.write(directory.resolve("restores"), bytes);
    return new RestoresFile(directory).read();
  }
}

package io.hypersync.worker.fuse.dev;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MountTableTest {
  private static final MountTable TABLE =
      MountTable.parse(
          List.of(
              "21 1 254:0 / / rw,relatime - ext4 /dev/vda rw",
              "30 21 0:26 / /mnt rw,nosuid shared:5 master:1 - tmpfs tmpfs rw",
              "31 30 0:27 / /mnt/a\\040b rw - fuse.hypersync team\\134one rw,user_id=0",
              "32 30 0:28 / /mnt/twice rw - tmpfs first rw",
              "33 32 0:29 / /mnt/twice rw - fuse second rw",
              "34 30 0:30 / /mnt/gr\u00c3\u00bcn rw - tmpfs x rw",
              "nonsense",
              ""));

  @Test
  void pointsAndSourcesAreUnescaped() {
    assertEquals(
        Optional.of(new MountTable.Mount("0:27", "/mnt/a b", "fuse.hypersync", "team\\one")),
        TABLE.at("/mnt/a b"));
    assertEquals("x", TABLE.at("/mnt/gr\u00fcn").orElseThrow().source());
  }

  @ParameterizedTest
  @ValueSource(strings = {"/mnt/a b", "/a\\b", "/a\tb\nc", "/plain", "/\\040"})
  void aPointIsEscapedAsTheKernelDoes(String point) {
    String line = "31 30 0:27 / " + MountTable.escape(point) + " rw - tmpfs x rw";
    assertEquals(point, MountTable.parse(List.of(line)).mounts().getFirst().point());
  }

  @Test
  void theLastMountOnAPointHidesTheOthers() {
    assertEquals("fuse (second)", TABLE.at("/mnt/twice").orElseThrow().describe());
  }

  @Test
  void aDirectoryInsideAMountIsNoMountPoint() {
    assertEquals(Optional.empty(), TABLE.at("/mnt/a"));
  }

  @Test
  void theDeepestMountAboveAPathCoversIt() {
    assertEquals("/", TABLE.covering("/mnt2/x").orElseThrow().point());
    assertEquals("/mnt", TABLE.covering("/mnt/a").orElseThrow().point());
    assertEquals("/mnt/a b", TABLE.covering("/mnt/a b/c").orElseThrow().point());
    assertEquals("second", TABLE.covering("/mnt/twice").orElseThrow().source());
  }

  @Test
  void fuseIsKnownByItsType() {
    assertTrue(TABLE.at("/mnt/a b").orElseThrow().isFuse());
    assertTrue(TABLE.at("/mnt/twice").orElseThrow().isFuse());
    assertFalse(TABLE.at("/mnt").orElseThrow().isFuse());
  }
}

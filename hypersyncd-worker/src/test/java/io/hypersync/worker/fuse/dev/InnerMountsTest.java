package io.hypersync.worker.fuse.dev;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class InnerMountsTest {
  private static final String OWN = "31 30 0:27 / /mnt/work rw - fuse.hypersync x rw";

  @Test
  void whatIsMountedInsideIsFoundByItsPathThere() {
    assertEquals(
        List.of("node_modules", "a b/c"),
        inside(
            OWN,
            "40 31 254:0 /cache /mnt/work/node_modules rw - ext4 /dev/vda rw",
            "41 31 0:99 / /mnt/work/a\\040b/c rw - tmpfs tmpfs rw"));
  }

  @Test
  void whatIsMountedElsewhereOrInsideOfThatIsNot() {
    assertEquals(
        List.of("tmp"),
        inside(
            "30 1 254:0 / / rw - ext4 /dev/vda rw",
            OWN,
            "40 30 0:98 / /mnt/workshop rw - tmpfs tmpfs rw",
            "41 31 0:99 / /mnt/work/tmp rw - tmpfs tmpfs rw",
            "42 41 0:97 / /mnt/work/tmp/deeper rw - tmpfs tmpfs rw"));
  }

  @Test
  void aPartOfTheFilesystemThatIsBoundElsewhereCounts() {
    assertEquals(
        List.of("project/src/gen"),
        inside(
            "50 30 0:27 /project /home/agent/p rw - fuse.hypersync x rw",
            "51 50 0:99 / /home/agent/p/src/gen rw - tmpfs tmpfs rw"));
  }

  @Test
  void whatHidesAllOfItIsOnNoName() {
    assertEquals(List.of(), inside(OWN, "40 31 0:99 / /mnt/work rw - tmpfs tmpfs rw"));
  }

  @Test
  void linesOfAnotherFormAreSkipped() {
    assertEquals(List.of(), inside("", "nonsense", OWN, "40 31"));
  }

  @Test
  void bytesAreThoseOfTheName() {
    byte[] name =
        InnerMounts.parse("0:27", List.of(OWN, "40 31 0:9 / /mnt/work/\u00ff\\134 rw - tmpfs t rw"))
            .getFirst()
            .getFirst();
    assertEquals("\u00ff\\", new String(name, StandardCharsets.ISO_8859_1));
  }

  private static List<String> inside(String... lines) {
    return InnerMounts.parse("0:27", List.of(lines)).stream()
        .map(
            names ->
                String.join(
                    "/",
                    names.stream().map(name -> new String(name, StandardCharsets.UTF_8)).toList()))
        .toList();
  }
}

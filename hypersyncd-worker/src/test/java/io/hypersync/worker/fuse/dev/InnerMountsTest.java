package io.hypersync.worker.fuse.dev;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InnerMountsTest {
  private static final String OWN = "31 30 0:27 / /mnt/work rw - fuse.hypersync x rw";

  @TempDir private Path proc;
  private long nowNs = 7;

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
        points(OWN, "40 31 0:9 / /mnt/work/\u00ff\\134 rw - tmpfs t rw").getFirst().getFirst();
    assertEquals("\u00ff\\", new String(name, StandardCharsets.ISO_8859_1));
  }

  /** The kernel escapes line feeds, not these. */
  @Test
  void aNameMayHaveCarriageReturns() {
    assertEquals(
        List.of("a\rb", "\r"),
        inside(
            OWN,
            "40 31 0:99 / /mnt/work/a\rb rw - tmpfs tmpfs rw",
            "41 31 0:99 / /mnt/work/\r rw - tmpfs tmpfs rw"));
  }

  @Test
  void aMountThatWasMovedMayStandBeforeWhatItIsOn() {
    assertEquals(List.of("x"), inside("20 31 0:9 / /mnt/work/x rw - tmpfs t rw", OWN));
  }

  @Test
  void theFirstOneThatIsMeantIsTheLastOneLookedAt() {
    List<List<byte[]>> found = new ArrayList<>();
    byte[] table =
        bytes(
            OWN,
            "40 31 0:98 / /mnt/work/a rw - tmpfs tmpfs rw",
            "41 31 0:99 / /mnt/work/b rw - tmpfs tmpfs rw");
    assertTrue(InnerMounts.any("0:27", table, found::add));
    assertEquals(1, found.size());
  }

  @Test
  void eachNamespaceIsLookedAtOnce() throws IOException {
    process(1, "mnt:[1]", OWN);
    process(20, "mnt:[2]", OWN, "40 31 0:98 / /mnt/work/a rw - tmpfs tmpfs rw");
    process(21, "mnt:[2]", OWN, "40 31 0:98 / /mnt/work/a rw - tmpfs tmpfs rw");
    Files.createDirectory(proc.resolve("sys"));
    Files.createDirectory(proc.resolve("30")); // it has ended
    List<List<byte[]>> found = new ArrayList<>();
    assertFalse(look().any(path -> !found.add(path)));
    assertEquals(1, found.size());
    assertTrue(look().any(_ -> true));
  }

  @Test
  void whereThereIsNoProcEverythingMayBeMountedOn() throws IOException {
    Files.delete(proc);
    assertTrue(look().any(_ -> false));
    Files.createDirectory(proc);
  }

  /** As any user can make them. */
  @Test
  void moreThanIsLookedAtCountsAsMountedOnForAWhile() throws IOException {
    String row = "40 30 0:98 / /" + "x".repeat(1_000) + " rw - tmpfs tmpfs rw\n";
    String most = row.repeat(InnerMounts.MOST_OF_ONE / row.length());
    process(1, "mnt:[1]", most);
    InnerMounts mounts = look();
    assertFalse(mounts.any(_ -> true), "nothing is in the filesystem");
    process(2, "mnt:[2]", most + row);
    assertTrue(mounts.any(_ -> false));
    Files.delete(proc.resolve("2/mountinfo"));
    nowNs += InnerMounts.PAUSE_NS - 1;
    assertTrue(mounts.any(_ -> false), "without a look");
    nowNs++;
    assertFalse(mounts.any(_ -> true));
  }

  @Test
  void soDoManyNamespaces() throws IOException {
    String row = "40 30 0:98 / /x rw - tmpfs tmpfs rw\n";
    int most = InnerMounts.MOST_OF_ALL / InnerMounts.MOST_OF_ONE;
    String much = row.repeat(InnerMounts.MOST_OF_ONE / row.length());
    for (int i = 1; i <= most; i++) {
      process(i, "mnt:[" + i + "]", much);
    }
    assertFalse(look().any(_ -> true));
    process(most + 1, "mnt:[0]", much);
    assertTrue(look().any(_ -> false));
  }

  private InnerMounts look() {
    return new InnerMounts(proc, 27, () -> nowNs);
  }

  private void process(int id, String namespace, String... lines) throws IOException {
    Path folder = Files.createDirectories(proc.resolve(id + "/ns")).getParent();
    Files.createSymbolicLink(folder.resolve("ns/mnt"), Path.of(namespace));
    Files.write(folder.resolve("mountinfo"), bytes(lines));
  }

  private static byte[] bytes(String... lines) {
    return String.join("\n", lines).getBytes(StandardCharsets.ISO_8859_1);
  }

  private static List<List<byte[]>> points(String... lines) {
    List<List<byte[]>> found = new ArrayList<>();
    assertFalse(InnerMounts.any("0:27", bytes(lines), names -> !found.add(names)));
    return found;
  }

  private static List<String> inside(String... lines) {
    return points(lines).stream()
        .map(
            names ->
                String.join(
                    "/",
                    names.stream().map(name -> new String(name, StandardCharsets.UTF_8)).toList()))
        .toList();
  }
}

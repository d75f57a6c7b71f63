package io.hypersync.e2e.operation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestCluster;
import io.hypersync.e2e.harness.TestClusterExtension;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** {@code hypersync support} of real daemons: what is in the archive, and what is not. */
@RealMounts
class SupportTest {
  private static final String PLANTED = "planted-4711";

  /** Of which lines may name files, as README.txt says. */
  private static final List<String> LOGS = List.of("log.txt", "journal.txt");

  @RegisterExtension static final TestClusterExtension CLUSTER = new TestClusterExtension();

  @TempDir Path directory;

  private static TestCluster cluster() {
    return CLUSTER.get();
  }

  /** What no archive may have: lines of all keys and tokens. */
  private static List<String> secrets() throws IOException {
    List<String> found = new ArrayList<>();
    try (Stream<Path> files = Files.walk(cluster().workspace().root())) {
      for (Path file : (Iterable<Path>) files::iterator) {
        String name = file.getFileName().toString();
        if (Files.isRegularFile(file) && (name.endsWith(".token") || name.endsWith(".key"))) {
          String text = Files.readString(file, StandardCharsets.ISO_8859_1);
          text.lines().filter(line -> line.length() > 20).forEach(found::add);
        }
      }
    }
    found.removeIf(line -> line.startsWith("-----") || line.startsWith("#"));
    return found;
  }

  @Test
  void allOfTheDaemonsIsThereAndNoSecret() throws Exception {
    Path folder = Files.createTempDirectory(cluster().mount("a"), PLANTED);
    Files.writeString(folder.resolve(PLANTED + "-name"), PLANTED + "-content");
    cluster().settle("b");
    Path onB = cluster().mount("b").resolve(folder.getFileName()).resolve(PLANTED + "-name");
    Files.writeString(onB, PLANTED + "-CONTENT");
    Await.until(
        "answers name the file, for a hazard",
        () -> cluster().worker("a").status().path("hazards").toString().contains(PLANTED));
    Path out = directory.resolve("s.tar.gz");
    String said = cluster().hypersync("support", "--out", out.toString()).orFail("support");
    assertTrue(said.contains("s.tar.gz: "), said);
    Shell.must(directory, "tar", "xzf", out.toString());
    Path archive = directory.resolve("hypersync-support");
    StringBuilder all = new StringBuilder();
    StringBuilder answers = new StringBuilder();
    List<String> names = new ArrayList<>();
    try (Stream<Path> files = Files.walk(archive)) {
      for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
        names.add(archive.relativize(file).toString());
        all.append(Files.readString(file)).append('\n');
        if (!LOGS.contains(file.getFileName().toString())) {
          answers.append(Files.readString(file)).append('\n');
        }
      }
    }
    for (String wanted :
        List.of(
            "README.txt",
            "version.json",
            "mountinfo.txt",
            "doctor.json",
            "daemon-1/status.json",
            "daemon-1/threads.json",
            "daemon-1/stages.json",
            "daemon-1/settings.txt",
            "daemon-1/disk.txt",
            "daemon-2/status.json",
            "daemon-3/status.json")) {
      assertTrue(names.contains(wanted), () -> wanted + " is not in " + names + "\n" + said);
    }
    assertTrue(all.indexOf("hypersync.leader.chunk_max = ") > 0, "settings");
    assertTrue(all.indexOf("fuse.hypersync") > 0, "mounts");
    List<String> secrets = secrets();
    assertTrue(secrets.size() >= 3, () -> "few secrets to look for: " + secrets.size());
    for (String secret : secrets) {
      assertEquals(-1, all.indexOf(secret), "a secret is in the archive");
    }
    assertEquals(-1, answers.indexOf(PLANTED), "names of files");
    for (String content : List.of("-content", "-CONTENT")) {
      assertEquals(-1, all.indexOf(PLANTED + content), "contents of files");
    }
  }

  @Test
  void onAFullDiskThereIsNoHalfArchive() throws Exception {
    Path disk = cluster().tmpfs("support-disk", 1);
    Path out = disk.resolve("s.tar.gz");
    var _ =
        Shell.run(
            directory,
            Map.of(),
            List.of("dd", "if=/dev/zero", "of=" + disk.resolve("full"), "bs=4096"));
    Shell full = cluster().hypersync("support", "--out", out.toString());
    assertEquals(1, full.exit(), full.output());
    assertTrue(full.output().contains("cannot write " + out + ": No space left"), full.output());
    assertFalse(full.output().contains("\tat "), full.output());
    assertEquals("full\n", Shell.must(disk, "ls", "-A"));
  }
}

package io.hypersync.e2e.operation;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestCluster;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A file of the workspace cannot make root of one host root of the others. */
@RealMounts
class MountTrustTest {
  private static final int NOBODY = 65_534;

  /** Runs a set-id program as nobody; the program prints its effective user. */
  private static final String WHO =
      """
      import os, sys
      os.setgroups([]); os.setgid(65534); os.setuid(65534)
      os.execv(sys.argv[1], [sys.argv[1], "-u"])
      """;

  private static final String OPEN_DEVICE =
      """
      import errno, os, stat, sys
      if not os.path.exists(sys.argv[1]):
          os.mknod(sys.argv[1], 0o666 | stat.S_IFCHR, os.makedev(1, 3))
      try:
          os.close(os.open(sys.argv[1], os.O_RDONLY))
          print("opened")
      except OSError as e:
          print(errno.errorcode[e.errno])
      """;

  @Test
  void byDefaultNoFileMakesAnybodyRoot() throws Exception {
    try (TestCluster cluster = TestCluster.start(TestCluster.PATIENT, "a")) {
      assertEquals("nosuid nodev", trust(cluster));
      assertEquals(Integer.toString(NOBODY), who(cluster));
      assertEquals("EACCES", openDevice(cluster));
    }
  }

  @Test
  void whoTrustsRootOfAllMachinesCanSaySo() throws Exception {
    List<String> settings = new ArrayList<>(TestCluster.PATIENT);
    settings.addAll(List.of("hypersync.worker.suid=true", "hypersync.worker.dev=true"));
    try (TestCluster cluster = TestCluster.start(settings, "a")) {
      assertEquals("", trust(cluster));
      assertEquals("0", who(cluster));
      assertEquals("opened", openDevice(cluster));
    }
  }

  private static String trust(TestCluster cluster) throws Exception {
    String line =
        Files.readAllLines(Path.of("/proc/self/mountinfo")).stream()
            .filter(row -> row.contains(" " + cluster.mount("a") + " "))
            .findFirst()
            .orElseThrow();
    List<String> options = List.of(line.split(" ", -1)[5].split(",", -1));
    return String.join(" ", List.of("nosuid", "nodev").stream().filter(options::contains).toList());
  }

  private static String who(TestCluster cluster) throws Exception {
    Path program = cluster.mount("a").resolve("id");
    // The program itself is copied, because a symbolic link would be followed.
    Shell.must(cluster.root(), "cp", Path.of("/usr/bin/id").toRealPath().toString(), program + "");
    Shell.must(cluster.root(), "chmod", "4755", program.toString());
    // User nobody must be able to reach the mount.
    Files.setAttribute(cluster.root(), "unix:mode", 0711);
    return python(cluster, WHO, program);
  }

  private static String openDevice(TestCluster cluster) throws Exception {
    return python(cluster, OPEN_DEVICE, cluster.mount("a").resolve("null"));
  }

  private static String python(TestCluster cluster, String script, Path argument) throws Exception {
    return Shell.run(Path.of("/"), Map.of(), List.of("python3", "-c", script, argument.toString()))
        .orFail("python3 on " + cluster.root())
        .strip();
  }
}

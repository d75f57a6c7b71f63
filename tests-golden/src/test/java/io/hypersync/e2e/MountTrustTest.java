package io.hypersync.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;

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
    try (Fabric fabric = Fabric.start(Fabric.PATIENT, "a")) {
      assertEquals("nosuid nodev", trust(fabric));
      assertEquals(Integer.toString(NOBODY), who(fabric));
      assertEquals("EACCES", openDevice(fabric));
    }
  }

  @Test
  void whoTrustsRootOfAllMachinesCanSaySo() throws Exception {
    List<String> settings = new ArrayList<>(Fabric.PATIENT);
    settings.addAll(List.of("hypersync.worker.suid=true", "hypersync.worker.dev=true"));
    try (Fabric fabric = Fabric.start(settings, "a")) {
      assertEquals("", trust(fabric));
      assertEquals("0", who(fabric));
      assertEquals("opened", openDevice(fabric));
    }
  }

  private static String trust(Fabric fabric) throws Exception {
    String line =
        Files.readAllLines(Path.of("/proc/self/mountinfo")).stream()
            .filter(row -> row.contains(" " + fabric.mount("a") + " "))
            .findFirst()
            .orElseThrow();
    List<String> options = List.of(line.split(" ", -1)[5].split(",", -1));
    return String.join(" ", List.of("nosuid", "nodev").stream().filter(options::contains).toList());
  }

  private static String who(Fabric fabric) throws Exception {
    Path program = fabric.mount("a").resolve("id");
    // The program itself is copied, because a symbolic link would be followed.
    Shell.must(fabric.root(), "cp", Path.of("/usr/bin/id").toRealPath().toString(), program + "");
    Shell.must(fabric.root(), "chmod", "4755", program.toString());
    // User nobody must be able to reach the mount.
    Files.setAttribute(fabric.root(), "unix:mode", 0711);
    return python(fabric, WHO, program);
  }

  private static String openDevice(Fabric fabric) throws Exception {
    return python(fabric, OPEN_DEVICE, fabric.mount("a").resolve("null"));
  }

  private static String python(Fabric fabric, String script, Path argument) throws Exception {
    return Shell.run(Path.of("/"), Map.of(), List.of("python3", "-c", script, argument.toString()))
        .orFail("python3 on " + fabric.root())
        .strip();
  }
}

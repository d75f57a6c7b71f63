package io.hypersync.cli.packaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.module.Configuration;
import java.lang.module.ModuleFinder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a package is made from: modules of its runtime, units, scripts. */
final class PackagingTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Path MODULES = ROOT.resolve("packaging").resolve("runtime-modules");

  @TempDir Path directory;

  private static List<String> modules() throws IOException {
    return Files.readAllLines(MODULES).stream()
        .filter(line -> !line.isEmpty() && !line.startsWith("#"))
        .toList();
  }

  /** A class that is not there is noticed only when it is used, perhaps on a bad day. */
  @Test
  void theRuntimeHasAllModulesThatClassesOfTheProgramUse() throws IOException {
    List<String> jars =
        Stream.of(System.getProperty("java.class.path").split(":", -1))
            .filter(jar -> jar.endsWith(".jar") || jar.endsWith("/target/classes"))
            .filter(jar -> !jar.contains("/junit") && !jar.contains("/fixtures/"))
            .toList();
    List<String> arguments =
        new ArrayList<>(
            List.of("--print-module-deps", "--ignore-missing-deps", "--multi-release", "25"));
    arguments.addAll(jars);
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int exitCode =
        ToolProvider.findFirst("jdeps")
            .orElseThrow()
            .run(new PrintWriter(out), new PrintWriter(err), arguments.toArray(String[]::new));
    assertEquals(0, exitCode, err.toString());
    Set<String> wanted =
        new TreeSet<>(List.of(out.toString().lines().toList().getLast().split(",", -1)));
    assertTrue(wanted.contains("java.base"), out.toString());
    Set<String> linked =
        Configuration.empty()
            .resolve(ModuleFinder.ofSystem(), ModuleFinder.of(), modules())
            .modules()
            .stream()
            .map(module -> module.name())
            .collect(Collectors.toCollection(TreeSet::new));
    wanted.removeAll(linked);
    assertEquals(Set.of(), wanted);
  }

  @Test
  void eachModuleHasAReason() throws IOException {
    String before = "";
    for (String line : Files.readAllLines(MODULES)) {
      if (!line.isEmpty() && !line.startsWith("#")) {
        assertTrue(!before.isEmpty(), line);
      }
      before = line;
    }
  }

  private static List<Path> units() throws IOException {
    try (Stream<Path> files = Files.list(ROOT.resolve("etc").resolve("systemd"))) {
      return files.sorted().toList();
    }
  }

  /** Those whose process mounts: a namespace of its own would hide the mount from all others. */
  @Test
  void unitsThatMountHaveNoMountNamespaceOfTheirOwn() throws IOException {
    List<String> hiding =
        List.of(
            "Protect", "Private", "ReadOnly", "ReadWrite", "Inaccessible", "Bind", "TemporaryF");
    for (String name : List.of("hypersync-leader@.service", "hypersync-worker@.service")) {
      for (String line : Files.readAllLines(ROOT.resolve("etc/systemd").resolve(name))) {
        assertTrue(hiding.stream().noneMatch(line::startsWith), name + ": " + line);
      }
    }
  }

  @Test
  void unitsAreReadBySystemd() throws IOException, InterruptedException {
    if (!Files.isExecutable(Path.of("/usr/bin/systemd-analyze"))) {
      return;
    }
    List<String> command = new ArrayList<>(List.of("systemd-analyze", "verify", "--man=no"));
    for (Path unit : units()) {
      // What it starts is looked for, and need not be installed here.
      String text =
          Files.readString(unit)
              .replace("/usr/bin/hypersync ", "/bin/true ")
              .replace("/srv/%i/failover/member ", "/bin/true ");
      Path copy = directory.resolve(unit.getFileName().toString().replace("@", "@team"));
      Files.writeString(copy, text);
      command.add(copy.toString());
    }
    Process verify = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(verify.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, verify.waitFor(), said);
    assertTrue(said.lines().noneMatch(line -> line.contains("hypersync-")), said);
  }

  @Test
  void scriptsAreRead() throws IOException, InterruptedException {
    for (String script :
        List.of(
            "dist", "mount.fuse.hypersync", "debian/postinst", "debian/prerm", "debian/postrm")) {
      Path file = ROOT.resolve("packaging").resolve(script);
      String shell = Files.readAllLines(file).getFirst().contains("bash") ? "bash" : "sh";
      Process reader =
          new ProcessBuilder(shell, "-n", file.toString()).redirectErrorStream(true).start();
      String said = new String(reader.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertEquals(0, reader.waitFor(), said);
    }
  }

  /** A unit that a removal leaves running has lost its program. */
  @Test
  void aRemovalStopsEachUnitMountsFirst() throws IOException {
    String prerm = Files.readString(ROOT.resolve("packaging/debian/prerm"));
    String page = Files.readString(ROOT.resolve("docs/install.md"));
    for (Path unit : units()) {
      String name = unit.getFileName().toString().replace(".service", "");
      assertTrue(prerm.contains("'" + name + "*'"), name);
      assertTrue(page.contains("| `" + name + "NAME` |"), name);
    }
    assertTrue(prerm.indexOf("hypersync-worker@") < prerm.indexOf("hypersync-member@"));
    assertTrue(prerm.indexOf("hypersync-member@") < prerm.indexOf("hypersync-putex@"));
    assertTrue(prerm.indexOf("hypersync-member@") < prerm.indexOf("hypersync-leader@"));
  }

  @Test
  void rulesAndDashboardsAreInThePackage() throws IOException {
    String dist = Files.readString(ROOT.resolve("packaging/dist"));
    String page = Files.readString(ROOT.resolve("docs/metrics.md"));
    assertTrue(dist.contains("\nfor shared in prometheus grafana; do\n"), dist);
    assertTrue(page.contains("/usr/share/hypersync/prometheus/hypersync.rules.yml"), page);
    assertTrue(Files.exists(ROOT.resolve("etc/prometheus/hypersync.rules.yml")));
    assertTrue(Files.exists(ROOT.resolve("etc/grafana/overview.json")));
  }

  private static String inUse(String script) throws IOException {
    String text = Files.readString(ROOT.resolve("packaging/debian").resolve(script));
    int begin = text.indexOf("in_use() {");
    return text.substring(begin, text.indexOf("\n}\n", begin) + 3);
  }

  /** It runs with a JDK of somebody's own, so only its command line names the build. */
  @Test
  void aBuildIsInUseWhileSomebodyRunsItsLibraries() throws IOException, InterruptedException {
    assertEquals(inUse("postinst"), inUse("prerm"));
    String folder = directory + "/lib";
    Path script = directory.resolve("look");
    Files.writeString(
        script,
        "set -e\nLIB=" + folder + "\n" + inUse("prerm") + "if in_use \"$1\"; then exit 7; fi\n");
    assertEquals(0, exitOf("sh", script.toString(), "0123abcd"), "before");
    Process daemon =
        new ProcessBuilder("sh", "-c", "read nothing", "sh", folder + "/builds/0123abcd/lib/x.jar")
            .start();
    try {
      assertEquals(7, exitOf("sh", script.toString(), "0123abcd"), "it runs");
      assertEquals(0, exitOf("sh", script.toString(), "0123"), "another one");
    } finally {
      daemon.destroyForcibly().waitFor();
    }
    assertEquals(0, exitOf("sh", script.toString(), "0123abcd"), "afterwards");
  }

  private static int exitOf(String... command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getInputStream().readAllBytes();
    return process.waitFor();
  }
}

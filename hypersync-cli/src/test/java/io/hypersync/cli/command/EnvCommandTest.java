package io.hypersync.cli.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.cli.Invocation;
import io.hypersync.cli.workspace.AgentEnvironment;
import io.hypersync.runtime.admin.AdminServer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code env} and {@code exec}: the environment of an agent, in each format. */
final class EnvCommandTest {
  @TempDir Path run;

  private AdminServer worker(String id, String mount, String local) {
    ObjectNode status =
        JsonNodeFactory.instance
            .objectNode()
            .put("role", "worker")
            .put("worker_id", id)
            .put("workspace", "00112233445566778899aabbccddeeff")
            .put("mount", mount)
            .put("local", local);
    return AdminServer.start(
        run.resolve("worker-00112233-" + id + ".sock"), Map.of("status", _ -> status));
  }

  private Invocation invoke(String... args) {
    String[] all = new String[args.length + 2];
    all[0] = args[0];
    all[1] = "--run-dir";
    all[2] = run.toString();
    System.arraycopy(args, 1, all, 3, args.length - 1);
    return Invocation.of(all);
  }

  @Test
  void forAShellItIsLinesThatExport() {
    try (AdminServer _ = worker("a", "/ntmfs/ws/team", "/ntmfs/local/team")) {
      assertEquals(
          """
          export HYPERSYNC_AGENT=BlueLake
          export XDG_CACHE_HOME=/ntmfs/local/team/cache/xdg
          export GOCACHE=/ntmfs/local/team/cache/go-build
          export GOMODCACHE=/ntmfs/local/team/cache/go-mod
          export npm_config_cache=/ntmfs/local/team/cache/npm
          export PIP_CACHE_DIR=/ntmfs/local/team/cache/pip
          export UV_CACHE_DIR=/ntmfs/local/team/cache/uv
          export CARGO_TARGET_DIR=/ntmfs/local/team/cache/agents/BlueLake/cargo-target
          """,
          invoke("env", "--agent", "BlueLake").out());
    }
  }

  @Test
  void aShellReadsBackWhatIsHardToQuote() throws Exception {
    try (AdminServer _ = worker("a", "/mnt/a", "/mnt/it's \"a\" $(local)`x`\\")) {
      Invocation env = invoke("env", "--agent", "Red's $HOME");
      for (String shell : List.of("sh", "bash")) {
        Process process =
            new ProcessBuilder(
                    shell, "-c", env.out() + "printf '%s\\n%s' \"$HYPERSYNC_AGENT\" \"$GOCACHE\"")
                .start();
        assertEquals(
            "Red's $HOME\n/mnt/it's \"a\" $(local)`x`\\/cache/go-build",
            new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8),
            shell);
      }
    }
  }

  @Test
  void forTomlItIsKeysOfATable() {
    try (AdminServer _ = worker("a", "/mnt/a", "/mnt/a \"b\"\\c")) {
      String toml = invoke("env", "--agent", "Lake", "--format", "toml").out();
      assertTrue(toml.startsWith("HYPERSYNC_AGENT = \"Lake\"\n"), toml);
      assertTrue(toml.contains("GOCACHE = \"/mnt/a \\\"b\\\"\\\\c/cache/go-build\"\n"), toml);
    }
  }

  @Test
  void forNtmItIsOptionsInOneLine() {
    try (AdminServer _ = worker("a", "/mnt/a", "/mnt/a local")) {
      String line = invoke("env", "--format", "pane-env").out();
      assertTrue(
          line.startsWith("--pane-env XDG_CACHE_HOME='/mnt/a local/cache/xdg' --pane-env GOCACHE="),
          line);
      assertEquals(line.length() - 1, line.indexOf('\n'));
      assertTrue(!line.contains("HYPERSYNC_AGENT"), "nobody has a name for all panes");
    }
  }

  @Test
  void asJsonItSaysOfWhichMount() throws Exception {
    try (AdminServer _ = worker("a", "/mnt/a", "/mnt/a.local");
        AdminServer _ = worker("b", "/mnt/b", "/mnt/b.local")) {
      JsonNode env =
          new ObjectMapper()
              .readTree(
                  invoke("env", "--agent", "Lake", "--mount", "/mnt/b/x", "--format", "json")
                      .out());
      assertEquals("Lake", env.path("agent").asText());
      assertEquals("b", env.path("worker_id").asText());
      assertEquals("/mnt/b", env.path("mount").asText());
      assertEquals("/mnt/b.local", env.path("local").asText());
      assertEquals("Lake", env.path("env").path("HYPERSYNC_AGENT").asText());
      assertEquals("/mnt/b.local/cache/npm", env.path("env").path("npm_config_cache").asText());
    }
  }

  @Test
  void ofSeveralMountsOneIsToBeNamed() {
    try (AdminServer _ = worker("a", "/mnt/a", "/mnt/a.local");
        AdminServer _ = worker("b", "/mnt/b", "/mnt/b.local")) {
      Invocation env = invoke("env");
      assertEquals(2, env.exitCode());
      assertEquals(
          """
          hypersync: which workspace? There are 2 mounts on this machine
            --mount /mnt/a
            --mount /mnt/b
          """,
          env.err());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "env --format yaml",
        "env --agent \u001b[31m",
        "exec -- true",
        "exec --agent Lake",
        "exec --agent Lake --"
      })
  void aMisuseIsRefused(String line) {
    try (AdminServer _ = worker("a", "/mnt/a", "/mnt/a.local")) {
      Invocation misuse = invoke(line.split(" ", -1));
      assertEquals(2, misuse.exitCode(), misuse.err());
      assertEquals("", misuse.out());
    }
  }

  /** The launcher evaluates it. */
  @Test
  void execPrintsTheEnvironmentForTheLauncher() {
    try (AdminServer _ = worker("a", "/mnt/a", "/mnt/a.local")) {
      assertEquals(
          invoke("env", "--agent", "Lake").out(),
          invoke("exec", "--agent", "Lake", "--", "make", "--json", "-x").out());
    }
  }

  @Test
  void eachAgentHasAFolderOfItsOwnAndNoNameLeadsElsewhere() {
    List<String> names =
        List.of(
            "a",
            "A",
            "..",
            ".",
            "a/b",
            "a%2fb",
            "a b",
            "ä",
            "x".repeat(63),
            "x".repeat(255),
            "x".repeat(254),
            "agents");
    Set<Path> folders = new HashSet<>();
    for (String name : names) {
      Path folder =
          Path.of(AgentEnvironment.of(Path.of("/l"), name).get("CARGO_TARGET_DIR")).getParent();
      assertEquals(Path.of("/l/cache/agents"), folder.normalize().getParent(), name);
      assertTrue(folder.getFileName().toString().length() <= 64, name);
      folders.add(folder);
    }
    assertEquals(names.size(), folders.size());
  }
}

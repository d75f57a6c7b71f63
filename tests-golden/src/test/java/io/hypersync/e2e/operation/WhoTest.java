package io.hypersync.e2e.operation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.hypersync.e2e.harness.Agents;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestCluster;
import io.hypersync.e2e.harness.TestClusterExtension;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** {@code hypersync who} and the filters of {@code hypersync log}, on real mounts. */
@RealMounts
class WhoTest {
  private static final JsonMapper JSON = new JsonMapper();

  @RegisterExtension static final TestClusterExtension CLUSTER = new TestClusterExtension();

  private static TestCluster cluster() {
    return CLUSTER.get();
  }

  private static JsonNode hypersync(String... arguments) throws Exception {
    List<String> all = new ArrayList<>(Arrays.asList(arguments));
    all.add("--json");
    String said = cluster().hypersync(all).orFail(String.join(" ", arguments));
    return JSON.readTree(said.substring(said.indexOf('{')));
  }

  /** A folder in which One and Two have worked. */
  private static Path folder() throws Exception {
    Agents agents = new Agents(cluster());
    List<Path> folders = new ArrayList<>();
    agents.done(
        () -> {
          Path folder = Files.createTempDirectory(cluster().mount("a"), "who-");
          folders.add(folder);
          agents.sh("One", folder, "mkdir d; echo 1 >f");
          agents.sh("Two", folder, "mv f d/g; echo 2 >>d/g");
          agents.sh("One", folder, "echo 3 >d/gone; rm d/gone");
        });
    return folders.getLast();
  }

  private static List<String> told(JsonNode answer) {
    List<String> told = new ArrayList<>();
    for (JsonNode change : answer.path("changes")) {
      told.add(change.path("what").asText() + " by " + change.path("agent").asText());
    }
    return told;
  }

  @Test
  void aFileIsFollowedThroughItsRename() throws Exception {
    Path folder = folder();
    JsonNode answer = hypersync("who", folder.resolve("d/g").toString());
    assertEquals(
        List.of("changed by Two", "moved by Two", "changed by One", "made by One"), told(answer));
    String name = folder.getFileName().toString();
    assertEquals(name + "/d/g", answer.at("/changes/1/path").asText());
    assertEquals(name + "/f", answer.at("/changes/1/other_path").asText());
    assertTrue(answer.path("exists").asBoolean());
    assertEquals(1, answer.path("oldest_index").asLong());
    String table = cluster().hypersync("who", folder.resolve("d/g").toString()).orFail("who");
    assertTrue(table.contains(name + "/f -> " + name + "/d/g"), table);
  }

  @Test
  void aFileThatIsGoneAndADirectory() throws Exception {
    Path folder = folder();
    JsonNode gone = hypersync("who", folder.resolve("d/gone").toString());
    assertEquals(List.of("removed by One", "changed by One", "made by One"), told(gone));
    Shell text = cluster().hypersync("who", folder.resolve("d/gone").toString());
    assertTrue(text.orFail("who").contains("There is no " + folder.getFileName() + "/d/gone"));
    JsonNode directory = hypersync("who", folder.resolve("d").toString(), "--limit", "3");
    assertEquals(List.of("entry by One", "entry by One", "entry by Two"), told(directory));
  }

  @Test
  void whatIsBelowADirectoryByPath() throws Exception {
    Path folder = folder();
    String name = folder.getFileName().toString();
    JsonNode below = hypersync("who", folder.toString(), "--recursive", "--limit", "2");
    assertEquals(name + "/d/gone", below.at("/changes/0/path").asText());
    assertEquals("Unlink", below.at("/changes/0/op").asText());
    JsonNode log = hypersync("log", "--path", folder.toString(), "--agent", "Two", "--since", "1h");
    List<String> paths = new ArrayList<>();
    log.path("entries").forEach(entry -> paths.add(entry.path("path").asText()));
    assertEquals(List.of(name + "/d/g", name + "/d/g"), paths);
    long last = log.at("/entries/1/log_index").asLong();
    JsonNode until =
        hypersync("log", "--since", Long.toString(last), "--until", Long.toString(last));
    assertEquals(1, until.path("entries").size(), until::toString);
    assertEquals(last, until.at("/entries/0/log_index").asLong());
  }
}

package io.hypersync.cli.render;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.hypersync.cli.Invocation;
import io.hypersync.runtime.admin.RunDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code hypersync leadership} says of claim files, whatever is in them. */
class LeadershipReportTest {
  @TempDir Path directory;

  private String claim(long pid) {
    return "hypersync-claim: 1\ninstance: i-1\npid: "
        + pid
        + "\nclaimed_at_ms: 0\nbeats: 7\nwanted_by: i-2\n";
  }

  private void write(String id, String text) throws IOException {
    Files.writeString(directory.resolve("leader-" + id + ".claim"), text);
  }

  private Invocation leadership(String... more) {
    String[] words = new String[3 + more.length];
    words[0] = "leadership";
    words[1] = "--run-dir";
    words[2] = directory.toString();
    System.arraycopy(more, 0, words, 3, more.length);
    return Invocation.of(words);
  }

  @Test
  void nothingWasLedHere() {
    assertEquals("No workspace was led here.\n", leadership().out());
    assertEquals(0, leadership().exitCode());
  }

  @Test
  void eachStateOfAClaimHasItsWord() throws IOException {
    write("aa", claim(ProcessHandle.current().pid()));
    write("bb", claim(4_194_305)); // above the highest pid
    write("cc", "");
    write("dd", "\u001b[2Jgarbage");
    Files.createDirectory(directory.resolve("leader-ee.claim"));
    JsonNode claims = new ObjectMapper().readTree(leadership("--json").out()).path("claims");
    assertEquals("held", claims.path(0).path("state").asText());
    assertTrue(claims.path(0).path("alive").asBoolean());
    assertEquals("i-2", claims.path(0).path("wanted_by").asText());
    assertEquals("1970-01-01T00:00:00Z", claims.path(0).path("claimed_at").asText());
    assertFalse(claims.path(1).path("alive").asBoolean());
    assertEquals("free", claims.path(2).path("state").asText());
    assertEquals("malformed", claims.path(3).path("state").asText());
    assertEquals("unusable", claims.path(4).path("state").asText());
    String text = leadership().out();
    assertTrue(text.contains("dead"), text);
    assertTrue(text.contains("cannot be used"), text);
    assertFalse(text.contains("\u001b"), text);
  }

  @Test
  void oneWorkspaceIsChosenByTheBeginningOfItsId() throws IOException {
    write("aa", "");
    write("bb", "");
    JsonNode claims =
        new ObjectMapper().readTree(leadership("--json", "--workspace", "b").out()).path("claims");
    assertEquals(1, claims.size());
    assertEquals("bb", claims.path(0).path("workspace").asText());
    assertEquals("bb", RunDirectory.workspaceOf(directory.resolve("leader-bb.claim")));
  }

  @Test
  void aClaimNeedsSomebodyWhoWaits() {
    Invocation claimed = Invocation.of("leadership", "claim", "--run-dir", directory.toString());
    assertEquals(1, claimed.exitCode());
    assertTrue(claimed.err().contains("no process waits to lead here"), claimed.err());
  }
}

package io.hypersync.cli.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.hypersync.cli.Invocation;
import io.hypersync.cli.trace.SmallLog;
import io.hypersync.leader.oplog.chronicle.ConversionMark;
import io.hypersync.model.trie.RootVersion;
import io.hypersync.runtime.admin.StateLock;
import io.hypersync.runtime.admin.UserError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code convert}, and what other commands and a leader do with a log of an earlier version. */
final class ConvertCommandTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir Path directory;

  private Path team = Path.of("");
  private Path state = Path.of("");

  @BeforeEach
  void aWorkspace() {
    team = directory.resolve("team");
    state = team.resolve("state");
    assertEquals(0, Invocation.of("init", team.toString()).exitCode());
  }

  @Test
  void aLogOfVersion1IsTracedReplayedAndConverted() throws IOException {
    String old = SmallLog.write(state, RootVersion.V1, 0).toString();
    assertEquals(replayed("before"), old);
    Invocation done = Invocation.of("convert", state.toString(), "--json");
    assertEquals(0, done.exitCode(), done.err());
    JsonNode tree = JSON.readTree(done.out());
    assertEquals(3, tree.path("entries").asLong());
    assertEquals(state.resolve("oplog.v1").toString(), tree.path("kept").asText());
    String root = tree.path("root").asText();
    assertNotEquals(old, root);
    assertEquals(SmallLog.write(directory.resolve("other")).toString(), root);
    assertEquals(replayed("after"), root);
  }

  @Test
  void aLeaderRefusesAnEarlierLogAndSaysHowToConvertIt() throws IOException {
    SmallLog.write(state, RootVersion.V1, 0);
    Invocation refused = Invocation.ofLeaderThatMustNotStart(team);
    assertEquals(1, refused.exitCode());
    assertTrue(refused.err().contains("has Merkle roots of version 1"), refused.err());
    assertTrue(refused.err().contains("./hypersync convert " + state), refused.err());
  }

  @Test
  void aLeaderDoesNotStartInTheMiddleOfAConversion() throws IOException {
    SmallLog.write(state, RootVersion.V1, 0);
    assertEquals(0, Invocation.of("convert", state.toString()).exitCode());
    Files.move(state.resolve("oplog"), state.resolve("oplog.v2"));
    Invocation refused = Invocation.ofLeaderThatMustNotStart(team);
    assertEquals(1, refused.exitCode());
    assertTrue(refused.err().contains("was interrupted"), refused.err());
    assertFalse(Files.exists(state.resolve("oplog")));
    String trace = directory.resolve("none.trace").toString();
    Invocation traced = Invocation.of("trace", "--dir", team.toString(), "--out", trace);
    assertEquals(1, traced.exitCode());
    assertTrue(traced.err().contains("./hypersync convert " + state), traced.err());
    Invocation finished = Invocation.of("convert", state.toString());
    assertEquals(0, finished.exitCode(), finished.err());
    assertTrue(finished.out().startsWith("Converted 3 entries"), finished.out());
  }

  /** Not even if something has begun an empty log there. */
  @Test
  void aLeaderDoesNotTakeALogThatWasBegunInTheMiddleOfAConversion() throws IOException {
    SmallLog.write(state, RootVersion.V1, 0);
    assertEquals(0, Invocation.of("convert", state.toString()).exitCode());
    Files.move(state.resolve("oplog"), state.resolve("oplog.v2"));
    Files.createDirectory(state.resolve("oplog"));
    Invocation refused = Invocation.ofLeaderThatMustNotStart(team);
    assertEquals(1, refused.exitCode());
    assertTrue(refused.err().contains("was interrupted"), refused.err());
    Invocation chosen = Invocation.of("convert", state.toString());
    assertEquals(1, chosen.exitCode());
    assertTrue(chosen.err().contains("Move " + state.resolve("oplog")), chosen.err());
  }

  @Test
  void whileThereIsAMarkNoLeaderStartsAndNothingIsCut() throws IOException {
    SmallLog.write(state, RootVersion.V1, 0);
    ConversionMark.write(state);
    Invocation refused = Invocation.ofLeaderThatMustNotStart(team);
    assertTrue(refused.err().contains("./hypersync convert " + state), refused.err());
    Invocation cut = Invocation.of("cut-log", "--dir", team.toString(), "--after", "2", "--yes");
    assertEquals(1, cut.exitCode());
    assertTrue(cut.err().contains("./hypersync convert"), cut.err());
    assertEquals(0, Invocation.of("convert", state.toString()).exitCode());
    assertFalse(ConversionMark.isThere(state));
  }

  @Test
  void whatNeedsNoConversionOrHasNoLogIsRefused() throws IOException {
    Invocation none = Invocation.of("convert", state.toString());
    assertEquals(UserError.USAGE, none.exitCode());
    SmallLog.write(state);
    Invocation latest = Invocation.of("convert", state.toString());
    assertEquals(1, latest.exitCode());
    assertTrue(latest.err().contains("have version 2 already"), latest.err());
  }

  @Test
  void aWrongLogIsCutInItsOwnVersionAndThenConverted() throws IOException {
    SmallLog.write(state, RootVersion.V1, 3);
    Invocation wrong = Invocation.of("convert", state.toString());
    assertEquals(1, wrong.exitCode());
    assertTrue(wrong.err().contains("log entry 3 cannot be replayed"), wrong.err());
    Invocation cut = Invocation.of("cut-log", "--dir", team.toString(), "--after", "2", "--yes");
    assertEquals(0, cut.exitCode(), cut.err());
    Invocation done = Invocation.of("convert", state.toString());
    assertEquals(0, done.exitCode(), done.err());
    assertTrue(done.out().startsWith("Converted 2 entries"), done.out());
  }

  @Test
  void aLeaderThatRunsIsLeftAlone() throws IOException {
    SmallLog.write(state, RootVersion.V1, 0);
    try (StateLock _ = StateLock.acquire(state, "the leader of team")) {
      Invocation refused = Invocation.of("convert", state.toString());
      assertEquals(1, refused.exitCode());
      assertTrue(refused.err().contains("the leader of team"), refused.err());
    }
  }

  private String replayed(String name) throws IOException {
    Path trace = directory.resolve(name + ".trace");
    Invocation traced = Invocation.of("trace", "--dir", team.toString(), "--out", trace.toString());
    assertEquals(0, traced.exitCode(), traced.err());
    JsonNode replayed = JSON.readTree(Invocation.of("replay", trace.toString(), "--json").out());
    assertTrue(replayed.path("ok").asBoolean(), replayed::toString);
    assertEquals(3, replayed.path("version").asInt(), "the trace's format");
    return replayed.path("root").asText();
  }
}

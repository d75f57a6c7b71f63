package io.hypersync.cli.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.cli.Invocation;
import io.hypersync.runtime.admin.UserError;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The demo's helpers, without daemons. */
final class DemoPartsTest {
  @TempDir Path directory;
  private final StringWriter told = new StringWriter();
  private final Cleanup cleanup = new Cleanup(new Narrator(new PrintWriter(told)));

  private Tool git() throws IOException {
    Path config = directory.resolve("gitconfig");
    Files.writeString(config, "[user]\n\tname = Demo\n\temail = demo@hypersync.invalid\n");
    return Tool.git(config);
  }

  @Test
  void theGeneratedRepositoryHasFourHundredFilesAndAHistory() throws IOException {
    Path repository = directory.resolve("sample");
    SampleRepository.create(repository, git());
    assertEquals(400, git().run(repository, "git", "ls-files").lines().count());
    assertEquals(5, git().run(repository, "git", "log", "--oneline").lines().count());
    assertEquals("", git().run(repository, "git", "status", "--porcelain"));
  }

  @Test
  void aToolThatFailsSaysWhatItSaid() throws IOException {
    Tool git = git();
    UserError error = assertThrows(UserError.class, () -> git.run(directory, "git", "log"));
    assertEquals("git log failed with 128", error.message());
    assertTrue(error.hint().contains("not a git repository"), error.hint());
  }

  @Test
  void aToolThatIsNotThereIsNamed() {
    UserError error =
        assertThrows(UserError.class, () -> new Tool(Map.of()).run(directory, "no-such-tool"));
    assertTrue(error.message().startsWith("cannot run no-such-tool"), error.message());
  }

  @Test
  void everythingIsUndoneTheLastFirstThoughOneStepFails() {
    List<String> undone = new ArrayList<>();
    cleanup.add("do the first", () -> undone.add("first"));
    cleanup.add(
        "do the second",
        () -> {
          throw new IOException("no");
        });
    cleanup.add("do the third", () -> undone.add("third"));
    cleanup.undo();
    cleanup.undo();
    assertEquals(List.of("third", "first"), undone);
    assertTrue(told.toString().contains("could not do the second: no"), told.toString());
  }

  @Test
  void nothingNewIsStartedWhenTheEndHasBegun() {
    assertFalse(cleanup.hasBegun());
    cleanup.undo();
    assertTrue(cleanup.hasBegun());
    assertThrows(IllegalStateException.class, () -> cleanup.add("stop it", () -> {}));
  }

  @Test
  void whatIsKeptIsNotUndone() {
    List<String> undone = new ArrayList<>();
    cleanup.add("do it", () -> undone.add("it"));
    cleanup.forget();
    cleanup.undo();
    assertEquals(List.of(), undone);
  }

  /** Needs /dev/fuse like the demo, although it fails before it mounts. */
  @Test
  @Tag("mount")
  void aFolderThatCannotBeWrittenIsASentenceAndNoBug() {
    Path missing = directory.resolve("missing");
    String before = System.setProperty("java.io.tmpdir", missing.toString());
    try {
      Invocation demo = Invocation.of("demo");
      assertEquals(1, demo.exitCode());
      assertTrue(
          demo.err().startsWith("hypersync: the demo cannot read or write one of its files: "),
          demo.err());
      assertTrue(demo.err().contains(missing.toString()), demo.err());
      assertFalse(demo.err().contains("\tat "), demo.err());
    } finally {
      System.setProperty("java.io.tmpdir", before);
    }
  }
}

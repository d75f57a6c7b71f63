package io.hypersync.runtime.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every file error is described by a sentence. */
final class FileProblemsTest {
  @Test
  void whatIsWrongIsSaidAndNoClassIsNamed() {
    Map<Exception, String> said =
        Map.of(
            new NoSuchFileException("/a"), "/a does not exist",
            new AccessDeniedException("/a"), "/a: permission denied",
            new FileAlreadyExistsException("/a"), "/a exists already",
            new NotDirectoryException("/a"), "/a is not a folder",
            new DirectoryNotEmptyException("/a"), "/a is not empty",
            new FileSystemException("/a", null, "No space left on device"),
                "/a: no space left on device",
            new FileSystemException("/a"), "/a: no reason is given",
            new MalformedInputException(1), "what is in it is no text",
            new UncheckedIOException(new NoSuchFileException("/b")), "/b does not exist",
            new IOException(), "no reason is given");
    said.forEach((failure, text) -> assertEquals(text, FileProblems.describe(failure)));
  }

  @Test
  void whatTheSystemSaysOfARealFileIsTranslatedToo(@TempDir Path directory) throws IOException {
    Path file = Files.createFile(directory.resolve("file"));
    IOException failure =
        assertThrows(IOException.class, () -> Files.createDirectories(file.resolve("below")));
    String said = FileProblems.describe(failure);
    assertTrue(said.contains(file.toString()), said);
    assertFalse(said.contains("Exception"), said);
  }

  @Test
  void whoMayNotIsToldToBeRoot() {
    String hint = FileProblems.hint(new AccessDeniedException("/a"), "Restore it.");
    assertEquals(FileProblems.isRoot() ? "Restore it." : "Run this as root (sudo).", hint);
    assertTrue(
        FileProblems.isDenied(
            new IOException(new FileSystemException("/a", null, "Operation not permitted"))));
    assertEquals("Restore it.", FileProblems.hint(new NoSuchFileException("/a"), "Restore it."));
  }
}

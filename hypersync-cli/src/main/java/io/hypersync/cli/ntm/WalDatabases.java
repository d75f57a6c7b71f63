package io.hypersync.cli.ntm;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitOption;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * SQLite databases in WAL mode below a folder, which only one host at a time can have open. Found
 * by their headers; the search is bounded, so that it ends in a large workspace, too.
 */
final class WalDatabases {
  private static final int DEPTH = 6;
  private static final int MOST_FILES = 50_000;
  private static final int MOST_FOUND = 20;
  private static final Set<String> PASSED_OVER = Set.of(".git", "node_modules", "target");
  private static final byte[] MAGIC = "SQLite format 3\0".getBytes(StandardCharsets.US_ASCII);

  /** Two bytes of a database's header say how it is written and read; 2 is WAL. */
  private static final int VERSIONS = 18;

  private static final byte WAL = 2;

  private final List<Path> found = new ArrayList<>();
  private int files;
  private boolean isComplete = true;

  private WalDatabases() {}

  /**
   * What was found.
   *
   * @param files databases; 20 at most
   * @param isComplete whether everything was looked at
   */
  record Found(List<Path> files, boolean isComplete) {}

  /** Looks below a folder; what cannot be read is passed over. */
  static Found below(Path folder) {
    WalDatabases search = new WalDatabases();
    try {
      Files.walkFileTree(folder, Set.<FileVisitOption>of(), DEPTH, search.new Visitor());
    } catch (IOException e) {
      search.isComplete = false;
    }
    return new Found(List.copyOf(search.found), search.isComplete);
  }

  private final class Visitor extends SimpleFileVisitor<Path> {
    @Override
    public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
      Path name = folder.getFileName();
      return name != null && PASSED_OVER.contains(name.toString())
          ? FileVisitResult.SKIP_SUBTREE
          : FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
      files++;
      if (files > MOST_FILES || found.size() >= MOST_FOUND) {
        isComplete = false;
        return FileVisitResult.TERMINATE;
      }
      if (attributes.isRegularFile() && isNamedLikeOne(file) && isWal(file)) {
        found.add(file);
      }
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException why) {
      isComplete = false;
      return FileVisitResult.CONTINUE;
    }
  }

  private static boolean isNamedLikeOne(Path file) {
    String name = file.getFileName().toString().toLowerCase(Locale.ROOT);
    return name.endsWith(".db") || name.endsWith(".sqlite") || name.endsWith(".sqlite3");
  }

  private static boolean isWal(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      byte[] header = in.readNBytes(VERSIONS + 2);
      return header.length == VERSIONS + 2
          && Arrays.equals(header, 0, MAGIC.length, MAGIC, 0, MAGIC.length)
          && header[VERSIONS] == WAL;
    } catch (IOException e) {
      return false;
    }
  }
}

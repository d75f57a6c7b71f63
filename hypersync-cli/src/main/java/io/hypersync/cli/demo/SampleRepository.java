package io.hypersync.cli.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;

/** Generates a git repository of a few hundred files, for a machine that has none at hand. */
final class SampleRepository {
  private static final int FOLDERS = 20;
  private static final int FILES_PER_FOLDER = 20;
  private static final int COMMITS = 5;
  private static final int MAX_LINES = 200;
  private static final long SEED = 20_260_101;
  private static final String[] WORDS = {
    "leader", "worker", "entry", "chunk", "index", "root", "commit", "apply", "rename", "write"
  };

  private SampleRepository() {}

  /** Creates the repository; its files have the same contents each time. */
  static void create(Path directory, Tool git) throws IOException {
    Files.createDirectories(directory);
    git.run(directory, "git", "init", "--quiet", "--initial-branch=main");
    Random random = new Random(SEED);
    for (int commit = 1; commit <= COMMITS; commit++) {
      for (int i = 0; i < FOLDERS * FILES_PER_FOLDER; i++) {
        if (i % COMMITS < commit) {
          Path file =
              directory.resolve("src/part%02d/file%02d.txt".formatted(i / FILES_PER_FOLDER, i));
          Files.createDirectories(file.getParent());
          Files.writeString(file, text(random));
        }
      }
      git.run(directory, "git", "add", "--all");
      git.run(directory, "git", "commit", "--quiet", "--message", "Step " + commit);
    }
  }

  private static String text(Random random) {
    StringBuilder text = new StringBuilder();
    int lines = 1 + random.nextInt(MAX_LINES);
    for (int i = 0; i < lines; i++) {
      text.append(WORDS[random.nextInt(WORDS.length)])
          .append(' ')
          .append(WORDS[random.nextInt(WORDS.length)])
          .append(' ')
          .append(random.nextInt())
          .append('\n');
    }
    return text.toString();
  }
}

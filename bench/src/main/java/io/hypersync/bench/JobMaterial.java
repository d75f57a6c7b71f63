package io.hypersync.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;

/**
 * The input of the jobs, made on the leader's disk: a repository and an archive, with the same
 * contents in every run.
 *
 * @param repository of {@value #REPOSITORY_FILES} files
 * @param archive of {@value #ARCHIVE_FILES} files
 */
record JobMaterial(Path repository, Path archive) {
  /** Suffix of the files in both. */
  static final String SUFFIX = ".txt";

  private static final int REPOSITORY_FILES = 5_000;
  private static final int REPOSITORY_FILES_PER_DIRECTORY = 20;
  private static final int REPOSITORY_FILE_BYTES = 4_000;
  private static final int ARCHIVE_FILES = 10_000;
  private static final int ARCHIVE_FILES_PER_DIRECTORY = 100;
  private static final int ARCHIVE_FILE_BYTES = 1_000;
  private static final String[] WORDS = {
    "return", "void", "final", "log", "entry", "worker", "leader", "commit", "int", "new", "the"
  };

  /** A word that is in no file, to be searched for in all of them. */
  static final String ABSENT_WORD = "unspeakable";

  /**
   * Creates both.
   *
   * @param folder for them, which is created
   * @param seed of the files' contents
   */
  static JobMaterial make(Programs programs, Path folder, long seed)
      throws IOException, InterruptedException {
    Random random = new Random(seed);
    Path repository = folder.resolve("repository");
    programs.run(
        () ->
            files(
                programs,
                repository,
                REPOSITORY_FILES,
                REPOSITORY_FILES_PER_DIRECTORY,
                REPOSITORY_FILE_BYTES,
                random));
    String[][] steps = {
      {"init", "--quiet"},
      {"add", "--all"},
      {
        "-c",
        "user.name=bench",
        "-c",
        "user.email=bench@hypersync.invalid",
        "commit",
        "--quiet",
        "--message",
        "All of it"
      }
    };
    for (String[] step : steps) {
      programs.run(git(repository, step));
    }
    Path tree = folder.resolve("tree");
    programs.run(
        () ->
            files(
                programs,
                tree,
                ARCHIVE_FILES,
                ARCHIVE_FILES_PER_DIRECTORY,
                ARCHIVE_FILE_BYTES,
                random));
    Path archive = folder.resolve("tree.tar");
    programs.run("tar", "--create", "--file=" + archive, "--directory=" + tree, ".");
    programs.run("rm", "-rf", tree.toString());
    return new JobMaterial(repository, archive);
  }

  /** Returns a git command that starts no background maintenance. */
  static String[] git(Path in, String... arguments) {
    String[] head = {"git", "-C", in.toString(), "-c", "gc.auto=0", "-c", "maintenance.auto=false"};
    String[] command = new String[head.length + arguments.length];
    System.arraycopy(head, 0, command, 0, head.length);
    System.arraycopy(arguments, 0, command, head.length, arguments.length);
    return command;
  }

  /** Writes files with lines of random words, each 0.5 to 1.5 times {@code bytes} long. */
  private static void files(
      Programs programs, Path root, int count, int perDirectory, int bytes, Random random)
      throws IOException, InterruptedException {
    for (int i = 0; i < count; i++) {
      Path directory = root.resolve("d" + i / perDirectory);
      if (i % perDirectory == 0) {
        programs.requireGoingOn();
        Files.createDirectories(directory);
      }
      int length = bytes / 2 + random.nextInt(bytes);
      StringBuilder text = new StringBuilder();
      while (text.length() < length) {
        text.append(WORDS[random.nextInt(WORDS.length)]).append(random.nextInt(bytes));
        text.append(random.nextInt(WORDS.length) == 0 ? '\n' : ' ');
      }
      Files.write(
          directory.resolve("f" + i + SUFFIX), text.toString().getBytes(StandardCharsets.UTF_8));
    }
  }
}

package io.hypersync.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** One repository, committed to on both mounts, while a worker is killed (22.4 item 1). */
@RealMounts
class GitTortureTest {
  private static final int COMMITS = 6;
  private static final Pattern MADE = Pattern.compile("\\[main ([0-9a-f]{7,})\\]");

  @RegisterExtension final FabricExtension extension = new FabricExtension();

  @Test
  void everyCommitThatSucceededIsInTheHistoryAndTheRepositoryIsSound() throws Exception {
    Fabric fabric = extension.get();
    Path onA = Files.createDirectory(fabric.mount("a").resolve("repo"));
    Path onB = fabric.mount("b").resolve("repo");
    Git.must(onA, "init", "--quiet", "--initial-branch=main");
    Git.must(onA, "commit", "--quiet", "--allow-empty", "--message", "root");
    fabric.settle("b");

    try (Committer a = Committer.start(onA, "a");
        Committer b = Committer.start(onB, "b")) {
      a.awaitCommits(COMMITS);
      b.awaitCommits(COMMITS);
      fabric.worker("b").kill();
      b.end();
      a.end();
      fabric.hypersync("umount", "--force", fabric.mount("b").toString()).orFail("umount");
      fabric.startWorker("b");
      assertSound(fabric, List.of(onA, onB), a, b);
    }
    // What was killed may have left locks behind, as it would on any file system.
    Shell.must(onA, "find", ".git", "-name", "*.lock", "-delete");
    fabric.settle("a", "b");
    try (Committer a = Committer.start(onA, "a2");
        Committer b = Committer.start(onB, "b2")) {
      a.awaitCommits(COMMITS);
      b.awaitCommits(COMMITS);
      a.end();
      b.end();
      Git.must(onB, "gc", "--quiet");
      assertSound(fabric, List.of(onA, onB), a, b);
    }
    fabric.assertSameRoots("a", "b");
  }

  private static void assertSound(Fabric fabric, List<Path> repositories, Committer... committers)
      throws Exception {
    fabric.settle("a", "b");
    for (Path repository : repositories) {
      Git.must(repository, "fsck", "--full", "--strict", "--no-progress");
      List<String> history = Git.must(repository, "log", "--format=%H").lines().toList();
      for (Committer committer : committers) {
        for (String commit : committer.commits()) {
          assertEquals(
              1,
              history.stream().filter(hash -> hash.startsWith(commit)).count(),
              () -> "git said on a mount that it had made commit " + commit);
        }
      }
    }
  }

  /** Commits a file of its own again and again; who finds the repository locked tries again. */
  private static final class Committer implements AutoCloseable {
    private final List<String> commits = new CopyOnWriteArrayList<>();
    private final List<String> complaints = new CopyOnWriteArrayList<>();
    private final Thread thread;
    private volatile boolean stopped;

    private Committer(Path repository, String name) {
      thread = Thread.ofPlatform().name("git-" + name).unstarted(() -> run(repository, name));
    }

    static Committer start(Path repository, String name) {
      Committer committer = new Committer(repository, name);
      committer.thread.start();
      return committer;
    }

    void awaitCommits(int more) throws InterruptedException {
      int goal = commits.size() + more;
      Await.until(
          more + " more commits; " + complaints, () -> commits.size() >= goal || !thread.isAlive());
      if (commits.size() < goal) {
        throw new AssertionError(thread.getName() + " has stopped: " + complaints);
      }
    }

    List<String> commits() {
      return List.copyOf(commits);
    }

    void end() throws InterruptedException {
      stopped = true;
      thread.join(Await.LIMIT);
      if (thread.isAlive()) {
        throw new AssertionError(thread.getName() + " hangs");
      }
    }

    @Override
    public void close() {
      stopped = true;
    }

    /** The hash tells; with many at once git may take another's message from COMMIT_EDITMSG. */
    private static String hashIn(String output) {
      Matcher hash = MADE.matcher(output);
      if (!hash.find()) {
        throw new IllegalStateException("no hash in: " + output);
      }
      return hash.group(1);
    }

    private void run(Path repository, String name) {
      for (int i = 0; !stopped; i++) {
        String message = name + " commit " + i;
        try {
          Files.writeString(repository.resolve("file-" + name), message + "\n");
          Shell made = Git.run(repository, "add", "file-" + name);
          while (made.exit() != 0 && !stopped) {
            Thread.sleep(2);
            made = Git.run(repository, "add", "file-" + name);
          }
          do {
            made = Git.run(repository, "commit", "--message", message);
            if (made.exit() == 0) {
              commits.add(hashIn(made.output()));
            } else if (!made.output().contains("lock")) {
              complaints.add(message + ": " + made.output().strip());
            }
          } while (made.exit() != 0 && !made.output().contains("nothing to commit") && !stopped);
        } catch (java.io.IOException | InterruptedException dead) {
          complaints.add(String.valueOf(dead));
          return;
        }
      }
    }
  }
}

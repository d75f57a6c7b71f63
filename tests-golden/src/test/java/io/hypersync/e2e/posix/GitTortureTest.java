package io.hypersync.e2e.posix;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.Git;
import io.hypersync.e2e.harness.LongVersion;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * git works in one repository with one working tree on three mounts at once, while workers are
 * killed (hypersync.md 22.4 item 1).
 */
@RealMounts
class GitTortureTest {
  private static final int KILLS = Integer.getInteger("hypersync.git.kills", 1);
  private static final int COMMITS = 4;
  private static final List<String> WORKERS = List.of("a", "b", "c");
  private static final Pattern MADE = Pattern.compile("\\[\\S+ ([0-9a-f]{7,})\\]");

  @Test
  @LongVersion
  void everyCommitThatSucceededIsInTheHistoryAndTheRepositoryIsSound() throws Exception {
    try (TestCluster cluster =
        TestCluster.start(TestCluster.PATIENT, WORKERS.toArray(new String[0]))) {
      try {
        torture(cluster);
      } catch (Exception | Error failure) {
        System.err.println(cluster.logs());
        throw failure;
      }
    }
  }

  private static void torture(TestCluster cluster) throws Exception {
    List<Path> repositories = WORKERS.stream().map(name -> repository(cluster, name)).toList();
    Path first = Files.createDirectory(repositories.getFirst());
    Git.must(first, "init", "--quiet", "--initial-branch=main");
    Git.must(first, "commit", "--quiet", "--allow-empty", "--message", "root");
    cluster.settle("a", "b", "c");

    Set<String> commits = new TreeSet<>();
    for (int kill = 0; kill <= KILLS; kill++) {
      List<Actor> actors = new ArrayList<>();
      try {
        for (int i = 0; i < WORKERS.size(); i++) {
          actors.add(Actor.start(repositories.get(i), WORKERS.get(i) + kill));
        }
        for (Actor actor : actors) {
          actor.awaitCommits(COMMITS);
        }
        if (kill < KILLS) {
          killed(cluster, WORKERS.get((kill + 1) % WORKERS.size()), actors);
        }
      } finally {
        actors.forEach(Actor::close);
      }
      for (Actor actor : actors) {
        actor.end();
        commits.addAll(actor.commits());
      }
      // Killed processes may have left lock files behind, as on any filesystem.
      Shell.must(first, "find", ".git", "-name", "*.lock", "-delete");
      assertSound(cluster, repositories, commits);
      System.out.printf("%d of %d kills, %d commits%n", kill, KILLS, commits.size());
    }
    Git.must(repositories.getLast(), "gc", "--quiet");
    assertSound(cluster, repositories, commits);
    cluster.assertSameRoots("a", "b", "c");
  }

  /** Kills a worker while git uses its mount, and starts it again. */
  private static void killed(TestCluster cluster, String victim, List<Actor> actors)
      throws Exception {
    cluster.worker(victim).kill();
    for (Actor actor : actors) {
      actor.end();
    }
    cluster.hypersync("umount", "--force", cluster.mount(victim).toString()).orFail("umount");
    cluster.startWorker(victim);
  }

  private static Path repository(TestCluster cluster, String worker) {
    return cluster.mount(worker).resolve("repo");
  }

  private static void assertSound(TestCluster cluster, List<Path> repositories, Set<String> commits)
      throws Exception {
    cluster.settle("a", "b", "c");
    for (Path repository : repositories) {
      Git.must(repository, "fsck", "--full", "--strict", "--no-progress");
      List<String> history = Git.must(repository, "rev-list", "--all").lines().toList();
      for (String commit : commits) {
        assertTrue(
            history.stream().anyMatch(hash -> hash.startsWith(commit)),
            () -> "git said that it had made commit " + commit + ", " + repository + " lacks it");
      }
    }
  }

  /**
   * Repeatedly adds and commits a file of its own, in the working tree that all actors share. In
   * between it runs status, creates a branch, checks out a file, or collects garbage. If it finds
   * something locked, it tries again.
   */
  private static final class Actor implements AutoCloseable {
    private static final int PAUSE_MS = 2;

    private final List<String> commits = new CopyOnWriteArrayList<>();
    private final List<String> complaints = new CopyOnWriteArrayList<>();
    private final Path repository;
    private final String name;
    private final Thread thread;
    private volatile boolean stopped;

    private Actor(Path repository, String name) {
      this.repository = repository;
      this.name = name;
      thread = Thread.ofPlatform().name("git-" + name).unstarted(this::run);
    }

    static Actor start(Path repository, String name) {
      Actor actor = new Actor(repository, name);
      actor.thread.start();
      return actor;
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

    private void run() {
      try {
        for (int i = 0; !stopped; i++) {
          commit(i);
          switch (i % 4) {
            case 0 -> retried("status", "--porcelain");
            // -B, because an earlier try may have created the branch, here or on another mount.
            case 1 -> retried("checkout", "--quiet", "-B", "topic-" + name + "-" + i);
            case 2 -> retried("checkout", "--quiet", "HEAD", "--", "file-" + name);
            default -> {
              var _ = Git.run(repository, "gc", "--quiet"); // git refuses to run two at once
            }
          }
        }
      } catch (IOException | InterruptedException dead) {
        complaints.add(String.valueOf(dead));
      }
    }

    private void commit(int i) throws IOException, InterruptedException {
      String message = name + " commit " + i;
      Files.writeString(repository.resolve("file-" + name), message + "\n");
      retried("add", "file-" + name);
      Shell made = retried("commit", "--message", message);
      if (made.exit() == 0) {
        commits.add(hashIn(made.output()));
      }
    }

    /** Runs git until it no longer finds something locked. */
    private Shell retried(String... arguments) throws IOException, InterruptedException {
      while (true) {
        Shell done = Git.run(repository, arguments);
        boolean committedByAnother = done.output().contains("nothing to commit");
        if (done.exit() == 0 || committedByAnother || stopped) {
          return done;
        }
        if (!done.output().contains("lock")) {
          complaints.add(String.join(" ", arguments) + ": " + done.output().strip());
        }
        Thread.sleep(PAUSE_MS);
      }
    }

    /**
     * The commit hash in the output. The message could not identify the commit, because concurrent
     * commits share COMMIT_EDITMSG.
     */
    private static String hashIn(String output) {
      Matcher hash = MADE.matcher(output);
      if (!hash.find()) {
        throw new IllegalStateException("no hash in: " + output);
      }
      return hash.group(1);
    }
  }
}

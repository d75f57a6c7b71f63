package io.hypersync.e2e.posix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.e2e.harness.Alone;
import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.DaemonJvm;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestCluster;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A worker of a user who is not root, in a mount namespace of its own in which everybody may open
 * {@code /dev/fuse}, as on most machines. It mounts through fusermount (Debian: fuse3), and fails
 * without that. A mount namespace keeps copies of others' mounts, so no other test may run.
 */
@Alone
@RealMounts
class JnrWithoutRootTest {
  /** Debian's user nobody: fusermount wants one that has a name. */
  private static final String USER = "65534";

  /**
   * Arguments: the cluster's folder, and the worker's command. It may read what root's home has:
   * the libraries it consists of.
   */
  private static final String START =
      """
      top=$1; shift
      mknod -m 666 "$top/fuse" c 10 229 && mount --bind "$top/fuse" /dev/fuse
      mkdir -p "$top/run" "$top/mounts/b" "$top/home" "$top/state"
      chmod 755 "$top" "$top/workspace" "$top/workspace/tokens"
      chmod 777 "$top/run"
      chown %1$s "$top/mounts" && chown -R %1$s "$top/mounts/b" "$top/home" "$top/state" "$top"/workspace/tokens/b.token
      exec setpriv --reuid %1$s --regid %1$s --clear-groups \\
        --inh-caps +dac_read_search --ambient-caps +dac_read_search env HOME="$top/home" "$@"
      """
          .formatted(USER);

  private static final String WORK =
      """
      set -e
      echo one > f; mkdir d; mv f d/g; ln d/g d/h; chmod 600 d/h
      printf 'two\\n' >> d/g; rm d/h
      git init -q r; cd r; echo x > x; git add x
      git -c user.name=n -c user.email=e@x commit -q -m m; git fsck
      """;

  @Test
  void aUserMountsWithoutRootAndOnlyHeSeesTheMount() throws Exception {
    try (TestCluster cluster = TestCluster.create()) {
      Path top = cluster.root();
      cluster.putStarter(
          "b", List.of("unshare", "--mount", "sh", "-ec", START, "sh", top.toString()));
      cluster.putSettings("b", TestCluster.JNR);
      cluster.startLeader();
      cluster.startWorker("a");
      Files.setPosixFilePermissions(
          cluster.mount("a"), PosixFilePermissions.fromString("rwxrwxrwx"));
      cluster.launchWorker("b");
      DaemonJvm worker = cluster.worker("b");
      Await.until(
          "be mounted or end", () -> worker.log().contains("is ready") || !worker.isAlive());
      assertTrue(worker.isAlive(), worker::log);
      cluster.awaitWritable("b");
      Path b = cluster.mount("b");
      inside(cluster, USER, "sh", "-c", "cd " + b + " && " + WORK);
      assertTrue(cluster.worker("b").log().contains("nobody but the user 65534 sees this mount"));
      assertEquals(
          "Permission denied", said(inside(cluster, "0", "sh", "-c", "ls " + b + " 2>&1; true")));
      cluster.settle("a", "b");
      assertEquals("one\ntwo\n", Files.readString(cluster.mount("a").resolve("d/g")));
      assertEquals(65534, Files.getAttribute(cluster.mount("a").resolve("d/g"), "unix:uid"));
      cluster.assertSameRoots("a", "b");

      String before = inside(cluster, "0", "grep", "-c", b.toString(), "/proc/self/mountinfo");
      assertEquals("1", before.strip());
      String held = Long.toString(cluster.worker("b").pid());
      Process keeper = new ProcessBuilder("nsenter", "-t", held, "-m", "sleep", "60").start();
      try {
        cluster.worker("b").end(Await.LIMIT);
        String left =
            Shell.must(
                Path.of("/"),
                "nsenter",
                "-t",
                Long.toString(keeper.pid()),
                "-m",
                "sh",
                "-c",
                "grep -c " + b + " /proc/self/mountinfo; true");
        assertEquals("0", left.strip(), "it is taken away with the worker");
      } finally {
        keeper.destroyForcibly().waitFor();
      }
    }
  }

  private static String said(String output) {
    return output.strip().substring(output.strip().lastIndexOf(": ") + 2);
  }

  /** Runs a command where the worker's mount is. */
  private static String inside(TestCluster cluster, String user, String... command)
      throws Exception {
    List<String> words =
        new ArrayList<>(
            List.of(
                "nsenter",
                "-t",
                Long.toString(cluster.worker("b").pid()),
                "-m",
                "setpriv",
                "--reuid",
                user,
                "--regid",
                user,
                "--clear-groups"));
    words.addAll(List.of(command));
    return Shell.must(Path.of("/"), words.toArray(String[]::new));
  }
}

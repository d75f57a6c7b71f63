package io.hypersync.e2e.operation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestCluster;
import io.hypersync.model.state.FsState;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What users, and disks, can do to local paths; and what they cannot. */
@RealMounts
class HostileIgnoredPathsTest {
  private static final String NOBODY = "setpriv --reuid 65534 --regid 65534 --clear-groups ";

  private static TestCluster cluster(String... settings) throws Exception {
    TestCluster cluster = TestCluster.create();
    cluster.putSettings("a", settings);
    cluster.startLeader();
    cluster.startWorker("a");
    Files.setAttribute(cluster.root(), "unix:mode", 0711);
    Files.setAttribute(cluster.mount("a"), "unix:mode", 01777);
    Files.writeString(cluster.mount("a").resolve("hypersync.ignore"), "local*\n");
    return cluster;
  }

  private static String sh(TestCluster cluster, String script) throws Exception {
    return run(cluster, script).orFail(script);
  }

  private static Shell run(TestCluster cluster, String script) throws Exception {
    return Shell.run(cluster.mount("a"), Map.of("LC_ALL", "C"), List.of("sh", "-c", script));
  }

  private static Path folder(TestCluster cluster) {
    return Path.of(cluster.worker("a").status().path("ignored").path("folder").asText());
  }

  @Test
  void aUsersLinksLeadNowhereButWhereTheUserMayGo() throws Exception {
    try (TestCluster cluster = cluster()) {
      Path secret = Files.writeString(cluster.root().resolve("secret"), "secret");
      Files.setAttribute(secret, "unix:mode", 0600);
      sh(cluster, "mkdir -m 777 local");
      String as = NOBODY + "sh -c 'cd local; ";
      sh(cluster, as + "ln -s " + secret + " link; ln -s .. up; ln -s / root'");
      Shell read = run(cluster, as + "cat link'");
      assertTrue(read.exit() != 0 && !read.output().contains("secret\n"), read::output);
      assertTrue(run(cluster, as + "echo x > link'").exit() != 0);
      assertEquals("secret", Files.readString(secret));
      assertEquals(secret + "\n", sh(cluster, "readlink local/link"));
      sh(cluster, "chown -h 1:1 local/link; touch -h local/link; rm -r local");
      assertEquals(0, Files.getAttribute(secret, "unix:uid"));
      assertFalse(
          sh(cluster, NOBODY + "ls " + folder(cluster) + " 2>&1 || true").contains("names"));
    }
  }

  /** Somebody replaces a directory by a link in the folder itself, which only root can reach. */
  @Test
  void whatStandsInTheFolderInsteadOfADirectoryIsNotFollowed() throws Exception {
    try (TestCluster cluster = cluster()) {
      sh(cluster, "mkdir -p local/d && echo 1 > local/d/f && cat local/d/f");
      Path names = folder(cluster).resolve(FsState.ROOT.toString()).resolve("names");
      Path outside = Files.createDirectory(cluster.root().resolve("outside"));
      Files.writeString(outside.resolve("f"), "outside");
      String replaced = names.resolve("local/d").toString();
      sh(
          cluster,
          "cd local/d; mv %s %s.old; ln -s %s %s; sleep 1.2; echo 2 > f; echo 3 > g; true"
              .formatted(replaced, replaced, outside, replaced));
      assertEquals("outside", Files.readString(outside.resolve("f")));
      assertFalse(Files.exists(outside.resolve("g")));
    }
  }

  @Test
  void aFolderThatAUserHasMadeIsNotUsed() throws Exception {
    try (TestCluster cluster = TestCluster.create()) {
      Path local = Files.createDirectories(cluster.root().resolve("mounts/a.local"));
      Path ignored = Files.createDirectory(local.resolve("ignored"));
      Files.setAttribute(ignored, "unix:uid", 65_534);
      cluster.startLeader();
      cluster.startWorker("a");
      Path mount = cluster.mount("a");
      Files.writeString(mount.resolve("hypersync.ignore"), "local*\n");
      Shell made = run(cluster, "mkdir local");
      assertTrue(made.output().contains("Input/output error"), made::output);
      sh(cluster, "mkdir shared");
      String status = cluster.hypersync("status").orFail("status");
      assertTrue(status.contains("must belong to the worker's user"), status);
      Files.delete(ignored);
      sh(cluster, "mkdir local");
      JsonNode after = cluster.worker("a").status().path("ignored");
      assertTrue(after.path("problem").isNull(), after::toString);
    }
  }

  @Test
  void devicesHaveNoEffectAndPipesDoNotBlockTheWorker() throws Exception {
    try (TestCluster cluster = cluster()) {
      sh(cluster, "mkdir local && mknod -m 666 local/null c 1 3 && mkfifo local/pipe");
      assertEquals("1:3", sh(cluster, "stat -c %t:%T local/null").strip());
      assertTrue(run(cluster, "cat local/null").output().contains("Permission denied"));
      assertEquals("through\n", sh(cluster, "(echo through > local/pipe &) ; cat local/pipe"));
      sh(cluster, "rm -r local");
    }
  }

  @Test
  void namesCanBeAsLongAndTreesAsDeepAsOnADisk() throws Exception {
    try (TestCluster cluster = cluster()) {
      String program =
          """
          import os
          os.mkdir("local"); os.chdir("local")
          name = "n" * 255
          open(name, "w").write("long")
          assert open(name).read() == "long" and name in os.listdir(".")
          try:
              open("n" * 256, "w")
              raise SystemExit("too long a name was taken")
          except OSError as e:
              assert e.errno == 36
          odd = bytes(range(1, 47)) + bytes(range(48, 256))
          os.mkdir(odd[:200])
          assert odd[:200] in os.listdir(b".")
          for level in range(300):
              os.mkdir("d" * 50); os.chdir("d" * 50)
          open("bottom", "w").write("deep")
          assert open("bottom").read() == "deep"
          os.rename("bottom", "renamed")
          assert os.stat("renamed").st_size == 4
          """;
      Shell.run(cluster.mount("a"), Map.of(), List.of("python3", "-c", program)).orFail("python3");
      String status = cluster.hypersync("status").orFail("status");
      assertTrue(status.contains("1 path of a is local to this host"), status);
      sh(cluster, "rm -rf local && ls");
    }
  }

  @Test
  void aFullDiskHitsOnlyWhoWritesThere() throws Exception {
    TestCluster cluster = TestCluster.create();
    try (cluster) {
      Path disk = cluster.tmpfs("small", 2);
      cluster.putSettings("a", "hypersync.worker.local_dir=" + disk);
      cluster.startLeader();
      cluster.startWorker("a");
      Files.writeString(cluster.mount("a").resolve("hypersync.ignore"), "local*\n");
      Shell full = run(cluster, "mkdir local; dd if=/dev/zero of=local/f bs=1M count=10");
      assertTrue(full.output().contains("No space left on device"), full::output);
      sh(cluster, "dd if=/dev/zero of=shared bs=1M count=10");
      assertEquals(10 << 20, Files.size(cluster.mount("a").resolve("shared")));
      sh(cluster, "rm local/f && echo small > local/f && test \"$(cat local/f)\" = small");
      assertTrue(sh(cluster, "df -m local | tail -1").matches("(?s).* 2 .*"), "its own disk");
    }
  }

  /** Each open file takes a descriptor of the daemon, which needs some for itself. */
  @Test
  void nobodyCanOpenSoManyFilesThatTheWorkerHasNoneLeft() throws Exception {
    try (TestCluster cluster = TestCluster.create()) {
      cluster.putStarter("a", List.of("prlimit", "--nofile=2000:2000"));
      cluster.startLeader();
      cluster.startWorker("a");
      Files.writeString(cluster.mount("a").resolve("hypersync.ignore"), "local*\n");
      String program =
          """
          import errno, os
          os.mkdir("local")
          files = []
          try:
              for i in range(1900):
                  files.append(os.open(f"local/{i}", os.O_RDWR | os.O_CREAT))
              print("all")
          except OSError as e:
              print(errno.errorcode[e.errno], 100 < len(files) < 1000)
          open("shared", "w").write("x")
          for f in files:
              os.close(f)
          for i in range(3000):
              open(f"local/n{i}", "w").close()
          print(len(os.listdir("local")) > 3000)
          """;
      Shell ended = Shell.run(cluster.mount("a"), Map.of(), List.of("python3", "-c", program));
      assertEquals("ENFILE True\nTrue\n", ended.orFail("python3"));
      sh(cluster, "find local | wc -l; rm -r local");
    }
  }

  @Test
  void theFileOfThePatternsCanBeAnything() throws Exception {
    try (TestCluster cluster = cluster()) {
      String bytes = "b'x\\xff\\x00*\\n' * 40000 + b'local*'";
      sh(cluster, "python3 -c \"open('hypersync.ignore','wb').write(" + bytes + ")\"");
      sh(cluster, "mkdir replicated1");
      JsonNode status = cluster.worker("a").status().path("ignored");
      assertTrue(status.path("refused_lines").asInt() > 1_000, status::toString);
      assertEquals(20, status.path("refused").size());
      sh(cluster, "rm hypersync.ignore; mkdir hypersync.ignore; mkdir local1");
      assertTrue(
          cluster
              .worker("a")
              .status()
              .path("ignored")
              .path("problem")
              .asText()
              .contains("regular"));
      sh(cluster, "rmdir hypersync.ignore; ln -s local1 hypersync.ignore; mkdir local2");
      sh(cluster, "rm hypersync.ignore; echo 'local3' > x; mv x hypersync.ignore; mkdir local3");
      Await.until(
          "only the last one is local",
          () -> cluster.worker("a").status().path("ignored").path("shown").asInt() == 1);
      for (int i = 0; i < 200; i++) {
        Files.writeString(cluster.mount("a").resolve("hypersync.ignore"), "local" + i + "\n");
      }
      String log = cluster.worker("a").log();
      assertTrue(log.split("hypersync.ignore", -1).length < 100, "writing it floods no log");
    }
  }
}

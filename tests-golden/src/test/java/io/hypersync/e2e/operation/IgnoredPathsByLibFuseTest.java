package io.hypersync.e2e.operation;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestCluster;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Paths that are local to a host, on a mount that libfuse 2 serves: by path, and uncached. */
@RealMounts
class IgnoredPathsByLibFuseTest {
  @Test
  void localPathsAreServedByPathToo() throws Exception {
    try (TestCluster cluster = TestCluster.create()) {
      cluster.putSettings("a", TestCluster.JNR);
      cluster.startLeader();
      cluster.startWorker("a");
      Path mount = cluster.mount("a");
      Files.writeString(mount.resolve("hypersync.ignore"), "local*\n");
      String script =
          """
          set -e
          mkdir -p r local/d; echo 1 > local/d/f; echo 2 >> local/d/f; ln local/d/f local/h
          mv local/d local/e; echo x > r/local.o; mv r/local.o local.o; ln -s e local/s
          cat local/s/f; ls . local r; stat -c %h:%s local/h; truncate -s 2 local/h; cat local/e/f
          flock local/h true; rm -r local local.o r; ls
          """;
      String output =
          Shell.run(mount, Map.of("LC_ALL", "C"), List.of("sh", "-c", script)).orFail(script);
      assertEquals(
          """
          1
          2
          .:
          hypersync.ignore
          local
          local.o
          r

          local:
          e
          h
          s

          r:
          2:4
          1
          hypersync.ignore
          """,
          output);
      Await.until("nothing is held", () -> held(cluster).equals("0 0"));
    }
  }

  private static String held(TestCluster cluster) {
    JsonNode ignored = cluster.worker("a").status().path("ignored");
    return ignored.path("kernel_nodes").asInt() + " " + ignored.path("open_files").asInt();
  }
}

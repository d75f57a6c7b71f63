package io.hypersync.e2e.hazards;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.e2e.harness.LongVersion;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestCluster;
import io.hypersync.e2e.harness.TestClusterExtension;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two agents use real tools at the same time, and neither touches a file of the other: no hazard is
 * told. They have clones and working trees of their own, push to one repository, and look through
 * each other's files. {@code -Dhypersync.hazards.rounds=20} is the long version.
 */
@RealMounts
class QuietToolsTest {
  private static final int ROUNDS = Integer.getInteger("hypersync.hazards.rounds", 1);

  @RegisterExtension static final TestClusterExtension CLUSTER = TestClusterExtension.ofOneClass();

  @TempDir Path local;

  private static final String GIT =
      """
      NUMBERS=src/$HYPERSYNC_AGENT$ROUND.txt
      git clone -q "$ORIGIN" "clone$ROUND"
      cd "clone$ROUND"
      git config user.name "$HYPERSYNC_AGENT"; git config user.email a@a
      for i in 1 2 3; do
        echo "$HYPERSYNC_AGENT $ROUND.$i" >>"$HYPERSYNC_AGENT.txt"
        git add .; git commit -qm "$i"
      done
      git checkout -qb topic HEAD~1
      mkdir -p src; seq 2000 >"$NUMBERS"; git add .; git commit -qm numbers
      git rebase -q main
      git checkout -q main
      git merge -q topic
      git worktree add -q "../tree$ROUND" topic
      seq 3000 >"../tree$ROUND/$NUMBERS"
      git -C "../tree$ROUND" commit -qam more
      echo dirty >>"$NUMBERS"; git stash -q; git stash pop -q; git checkout -q -- src
      touch untracked; git clean -fdq; git reset -q --hard HEAD~1; git reset -q --hard ORIG_HEAD
      git gc -q
      n=0
      until git pull -q --rebase && git push -q; do n=$((n+1)); test $n -lt 60; sleep 0.3; done
      cd ..
      """;

  private static final String BUILD =
      """
      mkdir -p build; cd build
      printf 'int f(void);\\nint main(void) { return f(); }\\n' >main.c
      printf 'int f(void) { return 0; }\\n' >f.c
      printf 'prog: main.o f.o\\n\\tgcc -o $@ $^\\n%%.o: %%.c\\n\\tgcc -c -o $@ $<\\nclean:\\n\\trm -f *.o prog\\n' >Makefile
      make -s; ./prog; touch f.c; make -s; make -s clean; make -s
      cd ..
      """;

  /** As editors save: in place, with a backup, and by another file that takes the name. */
  private static final String EDIT =
      """
      mkdir -p edit; cd edit
      seq 100 >vim.txt; seq 100 >place.txt; seq 100 >other.txt
      for copy in yes no; do
        vim -es -u NONE -i NONE -N -c "set backup writebackup backupcopy=$copy" \
            -c 'normal ggOnew line' -c wq vim.txt </dev/null
      done
      printf '1i\\nfirst\\n.\\nw\\nq\\n' | ed -s place.txt
      python3 - <<'END'
      import os
      text = open("other.txt").read()
      for i in range(20):
          with open("other.txt", "w") as f: f.write(text + str(i))          # in place
          with open("other.txt.tmp", "w") as f: f.write(text + "x" + str(i))
          os.replace("other.txt.tmp", "other.txt")                          # atomically
          os.rename("other.txt", "other.txt~")                              # with a backup
          with open("other.txt", "w") as f: f.write(text + "y" + str(i))
          os.unlink("other.txt~")
      END
      sed -i s/1/2/ other.txt
      cd ..
      """;

  private static final String DATABASE =
      """
      mkdir -p db; cd db
      sqlite3 a.db 'create table if not exists t (i integer primary key, text)'
      for i in 1 2 3 4 5; do
        sqlite3 a.db "begin; insert into t (text) select hex(randomblob(50)) from t limit 500;
            insert into t (text) values ('$i'); commit; delete from t where i % 7 = 0;"
      done
      sqlite3 a.db vacuum
      cd ..
      """;

  private static final String PACKAGES =
      """
      mkdir -p pkg app; printf '{"name": "pkg", "version": "1.0.0"}' >pkg/package.json
      seq 500 >pkg/index.js
      cd app
      printf '{"name": "app", "version": "1.0.0", "private": true}' >package.json
      npm install --offline --no-audit --no-fund --silent --install-links ../pkg
      rm -rf node_modules; npm install --offline --no-audit --no-fund --silent --install-links ../pkg
      cd ..
      """;

  private static final String SEARCH = "grep -rc line .. >/dev/null || true; ls -lR .. >/dev/null";

  @Test
  @LongVersion
  void toolsOfTwoAgentsAreNoHazardsForEachOther() throws Exception {
    TestCluster cluster = CLUSTER.get();
    Path origin = CLUSTER.mount("a").resolve("origin.git");
    seed(origin);
    Files.createDirectory(CLUSTER.mount("a").resolve("Blue"));
    Files.createDirectory(CLUSTER.mount("a").resolve("Green"));
    cluster.settle("a", "b");
    ToldHazards hazards = new ToldHazards(cluster);
    try (ExecutorService both = Executors.newFixedThreadPool(2)) {
      for (int round = 0; round < ROUNDS; round++) {
        int now = round;
        List<Future<?>> done = new ArrayList<>();
        done.add(both.submit(() -> work("a", "Blue", now)));
        done.add(both.submit(() -> work("b", "Green", now)));
        for (Future<?> one : done) {
          one.get();
        }
        assertEquals(Set.of(), hazards.follow(), "after round " + round);
      }
    }
    long entries = cluster.leader().status().path("commit_index").asLong();
    assertTrue(entries > 500, "so much was done: " + entries);
    System.out.println(entries + " entries without a hazard");
  }

  private void seed(Path origin) throws Exception {
    Path seed = Files.createDirectory(local.resolve("seed"));
    Shell.must(
        seed,
        "sh",
        "-ec",
        "git init -q -b main; git config user.name s; git config user.email s@s; seq 50 >README;"
            + " git add .; git commit -qm seed; git clone -q --bare . '"
            + origin
            + "'");
  }

  private Object work(String worker, String agent, int round) throws Exception {
    Path mount = CLUSTER.mount(worker);
    Map<String, String> environment =
        Map.of(
            "HYPERSYNC_AGENT", agent,
            "ROUND", Integer.toString(round),
            "ORIGIN", mount.resolve("origin.git").toString(),
            "HOME", local.toString(),
            "npm_config_cache", local.resolve("npm-" + agent).toString());
    for (String script : List.of(GIT, BUILD, EDIT, DATABASE, PACKAGES, SEARCH)) {
      Shell.run(mount.resolve(agent), environment, List.of("sh", "-ec", script)).orFail(script);
    }
    return agent;
  }
}

package io.hypersync.e2e.operation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.hypersync.e2e.harness.Agents;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestCluster;
import io.hypersync.e2e.harness.TestClusterExtension;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** {@code hypersync undo} of what an agent did, beside another one, on real mounts. */
@RealMounts
class UndoTest {
  private static final JsonMapper JSON = new JsonMapper();

  /** Everything that comes back, one line for each path; links by their first name. */
  private static final String LIST =
      """
      import hashlib, os, stat, sys
      top, first = sys.argv[1], {}
      for at, dirs, files in os.walk(top):
          dirs.sort()
          for path in [at] + [os.path.join(at, f) for f in sorted(files)] + \\
                  [os.path.join(at, d) for d in dirs if os.path.islink(os.path.join(at, d))]:
              s = os.lstat(path)
              name = os.path.relpath(path, top)
              line = [name, first.setdefault(s.st_ino, name), oct(s.st_mode), s.st_uid, s.st_gid,
                      s.st_mtime_ns]
              if stat.S_ISREG(s.st_mode):
                  with open(path, 'rb') as f:
                      line += [s.st_size, hashlib.sha256(f.read()).hexdigest()]
              if stat.S_ISLNK(s.st_mode):
                  line += [os.readlink(path)]
              else:
                  line += [(x, os.getxattr(path, x)) for x in sorted(os.listxattr(path))]
              print(*line)
      """;

  private static final String XATTR =
      """
      setx() {
        python3 -c 'import os, sys; os.setxattr("attrs", sys.argv[1], sys.argv[2].encode())' "$@"
      }
      """;

  private static final String MAKE =
      """
      mkdir -p p/src/deep p/docs p/gone && cd p
      echo one > src/inplace; echo two > src/replaced; echo three > src/moved; echo four > gone/f
      head -c 300000 /dev/urandom > big
      ln src/inplace docs/link; ln -s ../src/moved docs/symlink; mkfifo pipe
      echo x > attrs; setx user.colour blue; chmod 640 attrs; chown 12:34 attrs
      chmod 2750 docs; touch -d 2020-01-02 src/moved; echo deep > src/deep/d
      echo theirs > shared
      """;

  /** What the agent that is undone does. */
  private static final String SPOIL =
      """
      cd p
      echo changed in place > src/inplace
      echo new > src/t && mv src/t src/replaced
      mv src/moved docs/elsewhere; rm -r gone; mkdir gone; echo mine > gone/other
      printf xyz | dd of=big bs=1 seek=100000 conv=notrunc 2>/dev/null
      rm docs/symlink pipe; echo file > docs/symlink
      setx user.colour red; setx user.more 1; chmod 600 attrs; chown 0:0 attrs; chmod 755 docs
      echo made > src/made; mkdir later; echo x > later/x; ln src/made later/link
      mv src/deep src/renamed
      """;

  @RegisterExtension static final TestClusterExtension CLUSTER = new TestClusterExtension();

  private static TestCluster cluster() {
    return CLUSTER.get();
  }

  private static String list(Path top) throws Exception {
    return Shell.must(top, "python3", "-c", LIST, top.toString());
  }

  private static JsonNode hypersync(String... arguments) throws Exception {
    List<String> all = new ArrayList<>(Arrays.asList(arguments));
    all.add("--json");
    Shell said = cluster().hypersync(all);
    int json = said.output().indexOf('{');
    assertTrue(json >= 0 && said.exit() <= 1, said::output);
    return JSON.readTree(said.output().substring(json));
  }

  private static long commitIndex() {
    return cluster().leader().status().path("commit_index").asLong();
  }

  private static Path onB(Path onA) {
    return cluster().mount("b").resolve(cluster().mount("a").relativize(onA));
  }

  @Test
  void whatOneAgentDidIsAsBeforeOnAllMountsAndCanBeDoneAgain() throws Exception {
    Agents agents = new Agents(cluster());
    List<Path> folders = new ArrayList<>();
    List<String> lists = new ArrayList<>();
    List<Long> since = new ArrayList<>();
    agents.done(
        () -> {
          Path folder = Files.createTempDirectory(cluster().mount("a"), "undo-");
          Shell.must(folder, "sh", "-ec", XATTR + MAKE);
          lists.add(list(folder.resolve("p")));
          since.add(commitIndex() + 1);
          folders.add(folder);
          agents.sh("Spoiler", folder, XATTR + SPOIL);
        });
    Path project = folders.getLast().resolve("p");
    String then = lists.getLast();
    String from = since.getLast().toString();
    cluster().settle("b");
    String spoiled = list(onB(project));
    assertNotEquals(then, spoiled);

    JsonNode plan = hypersync("undo", "--agent", "Spoiler", "--since", from);
    assertTrue(plan.at("/planned/changed").asLong() >= 3, plan::toString);
    assertEquals(0, plan.path("contested_count").asLong(), plan::toString);
    cluster().settle("a", "b");
    assertEquals(spoiled, list(onB(project)), "a dry run does nothing");

    JsonNode done = hypersync("undo", "--agent", "Spoiler", "--since", from, "--yes");
    assertEquals(0, done.path("left_count").asLong(), done::toString);
    cluster().settle("a", "b");
    assertEquals(then, list(onB(project)));
    assertEquals(then, list(project));
    JsonNode log = hypersync("log", "-n", "10000", "--agent", "undo of Spoiler", "--since", from);
    assertEquals(done.path("entries").asLong(), log.path("entries").size());

    JsonNode again = hypersync("undo", "--agent", "Spoiler", "--since", from, "--yes");
    assertEquals(0, again.path("entries").asLong(), again::toString);

    String behind = Long.toString(done.path("head_index").asLong() + 1);
    JsonNode back = hypersync("undo", "--agent", "undo of Spoiler", "--since", behind, "--yes");
    assertEquals(0, back.path("contested_count").asLong(), back::toString);
    cluster().settle("a", "b");
    assertEquals(spoiled, list(onB(project)), "an undo can be undone");
    cluster().assertSameRoots("a", "b");
  }

  @Test
  void whatAnotherAgentHasChangedSinceIsNamedAndLeftAlone() throws Exception {
    Agents agents = new Agents(cluster());
    List<Path> folders = new ArrayList<>();
    List<Long> since = new ArrayList<>();
    agents.done(
        () -> {
          Path folder = Files.createTempDirectory(cluster().mount("a"), "contested-");
          Shell.must(folder, "sh", "-ec", "mkdir d; echo 1 >both; echo 1 >own; echo 1 >d/f");
          since.add(commitIndex() + 1);
          folders.add(folder);
          agents.sh("First", folder, "echo first >both; echo first >own; mkdir n; echo 1 >n/mine");
          cluster().settle("b");
          agents.sh("Second", onB(folder), "echo second >both; echo 2 >n/theirs");
          cluster().settle("a");
        });
    Path folder = folders.getLast();
    String from = since.getLast().toString();
    String name = folder.getFileName().toString();
    JsonNode done = hypersync("undo", "--agent", "First", "--since", from, "--yes");
    Set<String> contested = new TreeSet<>();
    for (JsonNode each : done.path("contested")) {
      contested.add(
          each.path("path").asText()
              + " "
              + each.path("why").asText()
              + " by "
              + each.path("agent").asText());
      assertTrue(each.path("log_index").asLong() > since.getLast(), each::toString);
    }
    assertEquals(
        Set.of(name + "/both changed_since by Second", name + "/n has_others by Second"),
        contested);
    assertEquals("second\n", Files.readString(folder.resolve("both")));
    assertEquals("1\n", Files.readString(folder.resolve("own")));
    assertEquals(
        "theirs\n", Shell.must(folder.resolve("n"), "ls"), "its own file in there is gone");

    Shell text =
        cluster().hypersync("undo", "--agent", "First", "--since", from, "--force", "--dry-run");
    assertTrue(text.output().contains("forced    " + name + "/both"), text::output);
    assertTrue(text.output().contains("by Second@b"), text::output);
    JsonNode forced = hypersync("undo", "--agent", "First", "--since", from, "--force", "--yes");
    assertEquals(1, forced.path("contested_count").asLong(), forced::toString);
    assertEquals("1\n", Files.readString(folder.resolve("both")));
    assertEquals("2\n", Files.readString(folder.resolve("n/theirs")));
  }

  @Test
  void whatADryRunHasShownIsWhatIsDone() throws Exception {
    Agents agents = new Agents(cluster());
    List<Path> folders = new ArrayList<>();
    List<Long> since = new ArrayList<>();
    agents.done(
        () -> {
          Path folder = Files.createTempDirectory(cluster().mount("a"), "undo-");
          Shell.must(folder, "sh", "-c", "echo old > seen; echo old > again");
          since.add(commitIndex() + 1);
          folders.add(folder);
          agents.sh("Spoiler", folder, "echo new > seen; echo new > again");
        });
    Path folder = folders.getLast();
    String from = since.getLast().toString();
    String shown =
        hypersync("undo", "--agent", "Spoiler", "--since", from).path("head_index").asText();
    agents.done(() -> agents.sh("Spoiler", folder, "echo newer > again; echo new > later"));

    JsonNode done =
        hypersync("undo", "--agent", "Spoiler", "--since", from, "--planned-at", shown, "--yes");
    assertEquals(1, done.path("left_count").asLong(), done::toString);
    cluster().settle("a", "b");
    assertEquals("old\n", Files.readString(folder.resolve("seen")));
    assertEquals("newer\n", Files.readString(folder.resolve("again")), "changed since");
    assertEquals("new\n", Files.readString(folder.resolve("later")), "made since");

    var _ = hypersync("undo", "--agent", "Spoiler", "--since", from, "--yes");
    cluster().settle("a", "b");
    assertEquals("old\n", Files.readString(folder.resolve("again")));
    assertFalse(Files.exists(folder.resolve("later")));
  }

  @Test
  void onlyWhatIsBelowAPath() throws Exception {
    Agents agents = new Agents(cluster());
    List<Path> folders = new ArrayList<>();
    List<Long> since = new ArrayList<>();
    agents.done(
        () -> {
          Path folder = Files.createTempDirectory(cluster().mount("a"), "below-");
          Shell.must(folder, "sh", "-ec", "mkdir d e; echo 1 >d/f; echo 1 >e/f");
          since.add(commitIndex() + 1);
          folders.add(folder);
          agents.sh("Below", folder, "echo 2 >d/f; echo 2 >e/f");
        });
    Path folder = folders.getLast();
    JsonNode done =
        hypersync(
            "undo",
            "--agent",
            "Below",
            "--since",
            since.getLast().toString(),
            "--path",
            folder.resolve("d").toString(),
            "--yes");
    assertEquals(1, done.at("/done/changed").asLong(), done::toString);
    assertEquals("1\n", Files.readString(folder.resolve("d/f")));
    assertEquals("2\n", Files.readString(folder.resolve("e/f")));
  }

  @Test
  void aMistakeIsExplained() throws Exception {
    Shell nobody = cluster().hypersync("undo", "--agent", "Nobody", "--yes");
    assertEquals(0, nobody.exit(), nobody::output);
    assertTrue(nobody.output().contains("There is no entry of Nobody"), nobody::output);
    Shell unnamed = cluster().hypersync("undo", "--yes");
    assertEquals(2, unnamed.exit(), unnamed::output);
    assertTrue(unnamed.output().contains("--agent is missing"), unnamed::output);
    Shell when = cluster().hypersync("undo", "--agent", "X", "--since", "yesterday");
    assertTrue(when.output().contains("is no state of the workspace"), when::output);
  }
}

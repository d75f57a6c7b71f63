package io.hypersync.e2e.posix;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestClusterExtension;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A name is opened for writing on one mount, right after a call on another host that changed what
 * the name refers to has returned: the write must go to the new target. One process makes the calls
 * on both mounts, so only the return of the first call orders them.
 */
@RealMounts
class WritesByNameTest {
  @RegisterExtension static final TestClusterExtension EXTENSION = new TestClusterExtension();

  private static final int TRIES = 60;

  /** Each name is in a directory of its own, and in b's kernel cache. */
  private static final String COMMON =
      """
      import os, sys, threading, time
      a, b, tries = sys.argv[1], sys.argv[2], int(sys.argv[3])
      def put(path, text, flags=os.O_CREAT):
          fd = os.open(path, os.O_WRONLY | os.O_APPEND | flags, 0o644)
          os.write(fd, text)
          os.close(fd)
      def get(path):
          try:
              with open(path, "rb") as file:
                  return file.read()
          except FileNotFoundError:
              return None
      def prepare():
          for i in range(tries):
              os.mkdir(f"{a}/{i}")
              put(f"{a}/{i}/f", b"old")
              put(f"{a}/{i}/other", b"other")
          for i in range(tries):
              while get(f"{b}/{i}/other") != b"other":
                  time.sleep(0.001)
              assert get(f"{b}/{i}/f") == b"old"
      """;

  @Test
  void aNameThatIsUnlinkedIsMadeAgain() throws Exception {
    run(
        """
        prepare()
        for i in range(tries):
            os.unlink(f"{a}/{i}/f")
            put(f"{b}/{i}/f", b"new")
        print([i for i in range(tries) if get(f"{a}/{i}/f") != b"new"])
        """);
  }

  @Test
  void aNameThatIsMovedIsMadeAgain() throws Exception {
    run(
        """
        prepare()
        for i in range(tries):
            os.rename(f"{a}/{i}/f", f"{a}/{i}/g")
            put(f"{b}/{i}/f", b"new")
        print([i for i in range(tries)
               if get(f"{a}/{i}/f") != b"new" or get(f"{a}/{i}/g") != b"old"])
        """);
  }

  @Test
  void aFileThatTookTheNameIsWhatIsWrittenTo() throws Exception {
    run(
        """
        prepare()
        for i in range(tries):
            os.rename(f"{a}/{i}/other", f"{a}/{i}/f")
            put(f"{b}/{i}/f", b"new", 0)
        print([i for i in range(tries) if get(f"{a}/{i}/f") != b"othernew"])
        """);
  }

  @Test
  void nothingIsWrittenBelowANameThatADirectoryHasLost() throws Exception {
    run(
        """
        prepare()
        wrong = []
        for i in range(tries):
            os.rename(f"{a}/{i}", f"{a}/moved{i}")
            try:
                put(f"{b}/{i}/f", b"new", 0)
                wrong.append(i)
            except FileNotFoundError:
                pass
        print(wrong + [i for i in range(tries) if get(f"{a}/moved{i}/f") != b"old"])
        """);
  }

  @Test
  void aFileWithoutANameCanStillBeOpenedByItsHandle() throws Exception {
    run(
        """
        prepare()
        for i in range(tries):
            fd = os.open(f"{b}/{i}/f", os.O_RDONLY)
            os.unlink(f"{a}/{i}/f")
            put(f"/proc/self/fd/{fd}", b"new", 0)
            assert os.pread(fd, 10, 0) == b"oldnew"
            os.close(fd)
        print([])
        """);
  }

  /** The kernel repeats a path walk only once per call; a second ESTALE would reach the caller. */
  @Test
  void nobodyIsToldThatANameIsStale() throws Exception {
    run(
        """
        over = time.monotonic() + 4
        def change():
            i = 0
            while time.monotonic() < over:
                i += 1
                put(f"{a}/made", b"x")
                os.rename(f"{a}/made", f"{a}/busy")
                if i % 3 == 0:
                    os.symlink("elsewhere", f"{a}/link")
                    os.rename(f"{a}/link", f"{a}/busy")
        put(f"{a}/busy", b"x")
        while get(f"{b}/busy") is None:
            time.sleep(0.001)
        def write():
            while time.monotonic() < over:
                put(f"{b}/busy", b"y")
        errors = []
        def guarded(act):
            try:
                act()
            except Exception as e:
                errors.append(repr(e))
        all = [threading.Thread(target=guarded, args=[act]) for act in [change, write, write]]
        for each in all:
            each.start()
        for each in all:
            each.join()
        print(errors)
        """);
  }

  private static void run(String script) throws Exception {
    Path a = Files.createTempDirectory(EXTENSION.mount("a"), "by-name-");
    Path b = EXTENSION.mount("b").resolve(a.getFileName());
    Await.until(b + " is there", () -> Files.exists(b));
    List<String> command =
        List.of(
            "python3", "-c", COMMON + script, a.toString(), b.toString(), Integer.toString(TRIES));
    String wrong = Shell.run(Path.of("/"), Map.of(), command).orFail("the calls");
    assertEquals("[]", wrong.strip(), "tries that went wrong");
  }
}

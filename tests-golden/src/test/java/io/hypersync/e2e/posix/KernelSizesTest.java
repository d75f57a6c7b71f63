package io.hypersync.e2e.posix;

import io.hypersync.e2e.harness.PythonProcess;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.TestClusterExtension;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The kernel's cached file size follows a file that grows on another host: calls that use this size
 * without asking the worker (copy_file_range, sendfile, page faults of a mapping) reach all bytes.
 */
@RealMounts
class KernelSizesTest {
  private static final int ROUNDS = 12;
  private static final int PAGE = 4096;

  private static final String READER =
      """
      libc = ctypes.CDLL(None, use_errno=True)
      libc.mmap.restype = ctypes.c_void_p
      libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int,
                            ctypes.c_int, ctypes.c_long]
      def mapped(length):
          at = libc.mmap(None, length, 1, 2, fd, 0)
          assert at != ctypes.c_void_p(-1).value
          return at
      def seen(at, text):
          while os.pread(fd, len(text), at) != text:
              pass
      def copied(at, text):
          os.ftruncate(out, 0)
          n = os.copy_file_range(fd, out, len(text) + 1, at, 0)
          got = os.pread(out, len(text) + 1, 0)
          assert n == len(text) and got == text, (at, n, got, os.fstat(fd).st_size)
      def sent(at, text):
          os.ftruncate(out, 0)
          os.lseek(out, 0, 0)
          n = os.sendfile(out, fd, at, len(text) + 1)
          got = os.pread(out, len(text) + 1, 0)
          assert n == len(text) and got == text, (at, n, got, os.fstat(fd).st_size)
      def end(size):
          assert os.lseek(fd, 0, 2) == size
      def appended(size, text):
          n = os.write(fd, text)
          assert os.lseek(fd, 0, 1) == size + n, (os.lseek(fd, 0, 1), size, n)
      """;

  @RegisterExtension static final TestClusterExtension CLUSTER = new TestClusterExtension();

  /** The reader has seen the new bytes by pread, and makes the other call at once. */
  @ParameterizedTest
  @ValueSource(strings = {"os.O_RDONLY", "os.O_RDWR"})
  void aFileThatIsReadByItsLength(String flags) throws Exception {
    try (Growing file = new Growing("f", flags)) {
      for (int round = 0; round < ROUNDS; round++) {
        for (String way : new String[] {"copied", "sent"}) {
          byte[] text = ("round " + round + way).getBytes(StandardCharsets.US_ASCII);
          file.append(text);
          file.reader.must("seen(" + file.before(text) + ")");
          file.reader.must(way + "(" + file.before(text) + ")");
        }
      }
      file.reader.must("end(" + file.size + ")");
    }
  }

  /**
   * The reader has not looked since the append; it is known by other means that the entry is
   * visible.
   */
  @ParameterizedTest
  @ValueSource(strings = {"os.O_RDONLY", "os.O_RDWR"})
  void aFileThatNobodyHasLookedAt(String flags) throws Exception {
    try (Growing file = new Growing("g", flags)) {
      for (int round = 0; round < ROUNDS; round++) {
        for (String way : new String[] {"copied", "sent"}) {
          byte[] text = ("round " + round + way).getBytes(StandardCharsets.US_ASCII);
          file.append(text);
          file.settle();
          file.reader.must(way + "(" + file.before(text) + ")");
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"os.O_RDONLY", "os.O_RDWR"})
  void aMap(String flags) throws Exception {
    try (Growing file = new Growing("m", flags)) {
      file.append(new byte[PAGE - file.size]);
      file.settle();
      file.reader.must("at = mapped(" + (ROUNDS + 2) * PAGE + ")");
      for (int round = 1; round < ROUNDS; round++) {
        byte[] page = new byte[PAGE];
        page[1] = (byte) round;
        file.append(page);
        file.settle();
        file.reader.must(
            "assert ctypes.string_at(at + " + (round * PAGE + 1) + ", 1)[0] == " + round);
      }
    }
  }

  @Test
  void thePositionAfterAnAppend() throws Exception {
    try (Growing file = new Growing("a", "os.O_RDWR | os.O_APPEND")) {
      for (int round = 0; round < ROUNDS; round++) {
        file.append("longer".getBytes(StandardCharsets.US_ASCII));
        file.settle();
        file.reader.must("appended(" + file.size + ", b'here')");
        file.size += 4;
      }
    }
  }

  /** The file grows by truncate, which makes a hole. */
  @Test
  void aFileThatGrowsByTruncation() throws Exception {
    try (Growing file = new Growing("t", "os.O_RDWR")) {
      for (int round = 0; round < ROUNDS; round++) {
        long end = file.size;
        file.writer.must("os.truncate('" + file.onA + "', " + (end + 5_000) + ")");
        file.size += 5_000;
        file.settle();
        file.reader.must("copied(" + end + ", bytes(5000))");
      }
    }
  }

  /** A file that is written on A and open on B. */
  private static final class Growing implements AutoCloseable {
    private final Path onA;
    private final Path besideOnB;
    private final PythonProcess reader = PythonProcess.start();
    private final PythonProcess writer = PythonProcess.start();
    private int size;

    Growing(String name, String flags) throws Exception {
      Path directory = Files.createTempDirectory(CLUSTER.mount("a"), "sizes-");
      onA = directory.resolve(name);
      Files.writeString(onA, "begin");
      size = 5;
      besideOnB = CLUSTER.mount("b").resolve(directory.getFileName());
      settle();
      reader.define(READER);
      reader.must("fd = os.open('" + besideOnB.resolve(name) + "', " + flags + ")");
      reader.must("out = os.open('" + besideOnB + "/out', os.O_RDWR | os.O_CREAT)");
      reader.must("copied(0, b'begin')");
      writer.must("os.getpid()");
    }

    void append(byte[] bytes) throws Exception {
      Files.write(onA, bytes, StandardOpenOption.APPEND);
      size += bytes.length;
    }

    /** The offset of the text that was appended last, and the text, as Python arguments. */
    String before(byte[] text) {
      return (size - text.length) + ", b'" + new String(text, StandardCharsets.US_ASCII) + "'";
    }

    /** Waits until B shows everything that A has done: a mutation on B waits for that. */
    void settle() throws Exception {
      CLUSTER.get().settle("b");
      Files.delete(Files.createTempDirectory(besideOnB, "settled-"));
    }

    @Override
    public void close() throws IOException {
      reader.close();
      writer.close();
    }
  }
}

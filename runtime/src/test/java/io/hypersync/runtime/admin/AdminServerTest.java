package io.hypersync.runtime.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonSerializable;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.jsontype.TypeSerializer;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** Requests and responses over the admin socket, including failures of either side. */
final class AdminServerTest {
  private static final Duration LIMIT = Duration.ofSeconds(5);
  private static final AdminCommand ECHO =
      args -> JsonNodeFactory.instance.objectNode().set("echo", args);

  @TempDir Path directory;

  private Path socket() {
    return directory.resolve("run/leader-01234567.sock");
  }

  private AdminClient client() {
    return new AdminClient(socket(), LIMIT);
  }

  @Test
  void anAnswerIsWhatTheCommandReturned() {
    ObjectNode args = JsonNodeFactory.instance.objectNode().put("text", "zwei\nZeilen äöü");
    try (AdminServer _ = AdminServer.start(socket(), Map.of("echo", ECHO))) {
      assertEquals(args, client().call("echo", args).path("echo"));
      assertEquals(args, client().call("echo", args).path("echo"), "a second connection");
    }
  }

  @Test
  void aLongAnswerArrivesWhole() {
    String text = "x".repeat(3_000_000);
    AdminCommand longAnswer = args -> JsonNodeFactory.instance.textNode(text);
    try (AdminServer _ = AdminServer.start(socket(), Map.of("long", longAnswer))) {
      assertEquals(text, client().call("long", JsonNodeFactory.instance.objectNode()).textValue());
    }
  }

  /** A result too large for memory is sent while it is produced. */
  @Test
  void aLongAnswerIsSentWhileItIsMade() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    List<Boolean> wasRead = new CopyOnWriteArrayList<>();
    AdminCommand list =
        _ ->
            written(
                json -> {
                  json.writeStartArray();
                  json.writeString("x".repeat(2 * LineChannel.PIECE_BYTES));
                  try {
                    wasRead.add(begun.await(LIMIT.toMillis(), TimeUnit.MILLISECONDS));
                  } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                  }
                  json.writeEndArray();
                });
    try (AdminServer _ = AdminServer.start(socket(), Map.of("list", list));
        SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket()))) {
      LineChannel lines = new LineChannel(channel);
      lines.write("{\"command\":\"list\"}\n".getBytes(StandardCharsets.UTF_8), LIMIT);
      assertTrue(channel.read(ByteBuffer.allocate(1)) > 0);
      begun.countDown();
      byte[] rest = lines.readLine(1 << 20, LIMIT);
      assertTrue(rest.length > 2 * LineChannel.PIECE_BYTES, "the rest of it");
    }
    assertEquals(List.of(true), wasRead, "a part was read before it was whole");
  }

  @Test
  void whatGoesWrongInTheMiddleOfAnAnswerIsARefusal() {
    AdminCommand list =
        args ->
            written(
                json -> {
                  json.writeStartObject();
                  json.writeArrayFieldStart("entries");
                  json.writeString("x".repeat(args.path("before").asInt()));
                  throw new UserError("entry 2 is damaged", "Restore it.", 16);
                });
    try (AdminServer _ = AdminServer.start(socket(), Map.of("list", list))) {
      for (int before : new int[] {0, 10 * LineChannel.PIECE_BYTES}) {
        ObjectNode args = JsonNodeFactory.instance.objectNode().put("before", before);
        UserError error = assertThrows(UserError.class, () -> client().call("list", args));
        assertEquals("entry 2 is damaged", error.message());
        assertEquals("Restore it.", error.hint());
        assertEquals(16, error.exitCode());
      }
    }
  }

  /** Fails before the first value, or between a field name and its value. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void whatGoesWrongWhereAValueIsDueIsARefusal(int names) {
    AdminCommand refuse =
        _ ->
            written(
                json -> {
                  for (int i = 0; i < names; i++) {
                    json.writeStartObject();
                    json.writeFieldName("entries");
                  }
                  throw new UserError("entry 1 is damaged", "Restore it.", 16);
                });
    try (AdminServer _ = AdminServer.start(socket(), Map.of("refuse", refuse))) {
      AdminClient.Reply.Refused refused =
          assertInstanceOf(AdminClient.Reply.Refused.class, client().ask("refuse"));
      assertEquals("entry 1 is damaged", refused.error().message());
      assertEquals(16, refused.error().exitCode());
    }
  }

  /**
   * Each piece leaves well within its limit, but all of them together exceed the limit of the
   * response.
   */
  @Test
  void whoReadsAnAnswerSlowlyIsCutOff() throws Exception {
    CountDownLatch cutOff = new CountDownLatch(1);
    AdminCommand endless =
        _ ->
            written(
                json -> {
                  json.writeStartArray();
                  try {
                    while (cutOff.getCount() > 0) {
                      json.writeString("x".repeat(LineChannel.PIECE_BYTES));
                    }
                  } catch (AdminTimeoutException slow) {
                    cutOff.countDown();
                    throw slow;
                  }
                });
    Duration limit = Duration.ofMillis(300);
    try (AdminServer _ = AdminServer.start(socket(), Map.of("endless", endless), limit);
        SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket()))) {
      new LineChannel(channel)
          .write("{\"command\":\"endless\"}\n".getBytes(StandardCharsets.UTF_8), LIMIT);
      ByteBuffer little = ByteBuffer.allocate(LineChannel.PIECE_BYTES / 4);
      long deadlineNs = System.nanoTime() + 6 * LIMIT.toNanos();
      while (!cutOff.await(5, TimeUnit.MILLISECONDS)) {
        assertTrue(System.nanoTime() - deadlineNs < 0, "it is still answered");
        var _ = channel.read(little.clear());
      }
    } finally {
      cutOff.countDown();
    }
  }

  @Test
  void aBugInTheMiddleOfAnAnswerIsNoAnswer() {
    AdminCommand bug =
        _ ->
            written(
                json -> {
                  json.writeStartArray();
                  json.writeString("x".repeat(10 * LineChannel.PIECE_BYTES));
                  throw new IllegalStateException("boom");
                });
    try (AdminServer _ = AdminServer.start(socket(), Map.of("bug", bug, "echo", ECHO))) {
      assertInstanceOf(AdminClient.Reply.Refused.class, client().ask("bug"));
      assertInstanceOf(AdminClient.Reply.Result.class, client().ask("echo"));
    }
  }

  /** Writes a result piece by piece. */
  @FunctionalInterface
  private interface Writer {
    void write(JsonGenerator json) throws IOException;
  }

  private static JsonSerializable written(Writer writer) {
    return new JsonSerializable.Base() {
      @Override
      public void serialize(JsonGenerator json, SerializerProvider ignored) throws IOException {
        writer.write(json);
      }

      @Override
      public void serializeWithType(
          JsonGenerator json, SerializerProvider ignored, TypeSerializer none) throws IOException {
        writer.write(json);
      }
    };
  }

  @Test
  void aRefusalKeepsMessageHintAndExitCode() {
    AdminCommand refuse =
        args -> {
          throw new UserError("the mount is busy", "Close what uses it.", 16);
        };
    try (AdminServer _ = AdminServer.start(socket(), Map.of("umount", refuse))) {
      UserError error =
          assertThrows(
              UserError.class,
              () -> client().call("umount", JsonNodeFactory.instance.objectNode()));
      assertEquals("the mount is busy", error.message());
      assertEquals("Close what uses it.", error.hint());
      assertEquals(16, error.exitCode());
    }
  }

  @Test
  void aBugInACommandIsAnAnswerAndTheServerGoesOn() {
    AdminCommand bug =
        args -> {
          throw new IllegalStateException("boom");
        };
    try (AdminServer _ = AdminServer.start(socket(), Map.of("bug", bug, "echo", ECHO))) {
      AdminClient.Reply.Refused refused =
          assertInstanceOf(AdminClient.Reply.Refused.class, client().ask("bug"));
      assertTrue(refused.error().message().contains("boom"), refused.error().message());
      assertInstanceOf(AdminClient.Reply.Result.class, client().ask("echo"));
    }
  }

  @ParameterizedTest(name = "{0} is answered with: {1}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          garbage                          | the request is not a line of JSON
          [1,2]                            | the request is not a JSON object
          {"args":{}}                      | the request has no "command"
          {"command":5}                    | the request has no "command"
          {"command":"echo","args":[1]}    | "args" of the request must be an object
          {"command":"reboot"}             | this daemon knows no command "reboot"
          """)
  void garbageIsAnsweredAndTheServerGoesOn(String line, String message) throws IOException {
    try (AdminServer _ = AdminServer.start(socket(), Map.of("echo", ECHO))) {
      UserError error =
          assertThrows(UserError.class, () -> AdminCodec.decodeResponse(raw(line + "\n")));
      assertEquals(message, error.message());
      assertInstanceOf(AdminClient.Reply.Result.class, client().ask("echo"));
    }
  }

  @Test
  void anEndlessRequestIsCutOff() throws IOException {
    try (AdminServer _ = AdminServer.start(socket(), Map.of("echo", ECHO));
        SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket()))) {
      ByteBuffer noLineFeed =
          ByteBuffer.wrap("x".repeat(64 * 1024).getBytes(StandardCharsets.UTF_8));
      assertThrows(
          IOException.class,
          () -> {
            for (int i = 0; i < 1000; i++) {
              channel.write(noLineFeed.rewind());
            }
          },
          "64 MB without a line feed were taken");
      assertInstanceOf(AdminClient.Reply.Result.class, client().ask("echo"));
    }
  }

  @Test
  void onlyItsUserMayOpenTheSocket() throws IOException {
    try (AdminServer _ = AdminServer.start(socket(), Map.of("echo", ECHO))) {
      assertEquals(
          "rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(socket())));
      assertEquals(
          "rwx------",
          PosixFilePermissions.toString(Files.getPosixFilePermissions(socket().getParent())));
    }
    assertFalse(Files.exists(socket()), "close() removes the socket");
  }

  @Test
  void aSocketThatADeadDaemonLeftBehindIsReplaced() throws IOException {
    Files.createDirectories(socket().getParent());
    try (ServerSocketChannel dead = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      dead.bind(UnixDomainSocketAddress.of(socket()));
    }
    assertTrue(Files.exists(socket()), "the kernel does not remove it");
    assertInstanceOf(AdminClient.Reply.Dead.class, client().ask("echo"));
    try (AdminServer _ = AdminServer.start(socket(), Map.of("echo", ECHO))) {
      assertInstanceOf(AdminClient.Reply.Result.class, client().ask("echo"));
    }
  }

  @Test
  void aLivingDaemonIsNotReplaced() {
    try (AdminServer _ = AdminServer.start(socket(), Map.of("echo", ECHO))) {
      UserError error =
          assertThrows(UserError.class, () -> AdminServer.start(socket(), Map.of("echo", ECHO)));
      assertTrue(error.message().contains("already listening"), error.message());
      assertInstanceOf(AdminClient.Reply.Result.class, client().ask("echo"));
    }
  }

  @Test
  void aMissingSocketIsADeadDaemon() {
    assertInstanceOf(AdminClient.Reply.Dead.class, client().ask("echo"));
    UserError error =
        assertThrows(
            UserError.class, () -> client().call("echo", JsonNodeFactory.instance.objectNode()));
    assertTrue(error.message().startsWith("the daemon is not running"), error.message());
  }

  @Test
  void aSilentDaemonIsUnresponsiveAfterTheLimit() {
    CountDownLatch over = new CountDownLatch(1);
    AdminCommand hang =
        args -> {
          try {
            over.await();
          } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
          }
          return args;
        };
    try (AdminServer _ = AdminServer.start(socket(), Map.of("hang", hang))) {
      AdminClient impatient = new AdminClient(socket(), Duration.ofMillis(200));
      assertInstanceOf(AdminClient.Reply.Unresponsive.class, impatient.ask("hang"));
      over.countDown();
    } finally {
      over.countDown();
    }
  }

  /** With a full backlog the kernel lets further connections wait. */
  @Test
  void aDaemonThatAcceptsNobodyIsUnresponsiveAfterTheLimit() throws IOException {
    Files.createDirectories(socket().getParent());
    UnixDomainSocketAddress address = UnixDomainSocketAddress.of(socket());
    List<SocketChannel> waiting = new ArrayList<>();
    try (ServerSocketChannel busy = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      busy.bind(address, 1);
      boolean roomLeft = true;
      while (roomLeft) {
        roomLeft = connects(address, waiting);
      }
      AdminClient impatient = new AdminClient(socket(), Duration.ofMillis(200));
      AdminClient.Reply reply = assertTimeoutPreemptively(LIMIT, () -> impatient.ask("echo"));
      assertInstanceOf(AdminClient.Reply.Unresponsive.class, reply);
    } finally {
      for (SocketChannel channel : waiting) {
        channel.close();
      }
    }
  }

  private static boolean connects(UnixDomainSocketAddress address, List<SocketChannel> waiting)
      throws IOException {
    SocketChannel next = SocketChannel.open(StandardProtocolFamily.UNIX);
    waiting.add(next);
    next.configureBlocking(false);
    try {
      return next.connect(address);
    } catch (SocketException noRoom) {
      return false;
    }
  }

  @Test
  void aServerThatCannotAcceptForAMomentAnswersAfterIt() throws Exception {
    Process daemon =
        new ProcessBuilder(
                "/bin/sh",
                "-c",
                "ulimit -n 128; exec \"$@\"",
                "sh",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                ShortOfFiles.class.getName(),
                socket().toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (BufferedReader said = daemon.inputReader()) {
      String line = said.readLine();
      while (line != null && !line.equals(ShortOfFiles.SAYS)) {
        line = said.readLine();
      }
      assertEquals(ShortOfFiles.SAYS, line);
      assertInstanceOf(AdminClient.Reply.Result.class, client().ask("echo"));
    } finally {
      daemon.destroyForcibly().waitFor();
    }
  }

  /** A process that opens as many files as it can, and closes them a second later. */
  static final class ShortOfFiles {
    static final String SAYS = "no file can be opened";

    private ShortOfFiles() {}

    public static void main(String[] args) throws IOException, InterruptedException {
      Path socket = Path.of(args[0]);
      try (AdminServer _ = AdminServer.start(socket, Map.of("echo", ECHO))) {
        // Loads the classes that are needed later: loading a class needs a file descriptor.
        new AdminClient(socket, LIMIT).ask("echo");
        LoggerFactory.getLogger(AdminServer.class).warn("now it takes all files");
        List<InputStream> files = new ArrayList<>();
        try {
          while (true) {
            files.add(new FileInputStream("/dev/null"));
          }
        } catch (IOException none) {
          System.out.println(SAYS);
        }
        Thread.sleep(1_000);
        for (InputStream file : files) {
          file.close();
        }
        Thread.sleep(60_000);
      }
    }
  }

  @Test
  void aPathThatIsTooLongForASocketIsNamed() {
    Path tooLong = directory.resolve("x".repeat(120)).resolve("leader-01234567.sock");
    UserError error =
        assertThrows(UserError.class, () -> AdminServer.start(tooLong, Map.of("echo", ECHO)));
    assertTrue(error.message().contains("too long"), error.message());
    assertTrue(error.hint().contains("HYPERSYNC_RUN_DIR"), error.hint());
  }

  private byte[] raw(String bytes) throws IOException {
    try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket()))) {
      LineChannel lines = new LineChannel(channel);
      lines.write(bytes.getBytes(StandardCharsets.UTF_8), LIMIT);
      return lines.readLine(1 << 20, LIMIT);
    }
  }
}

package io.hypersync.worker.takeover;

import io.hypersync.worker.fuse.dev.DescriptorSocket;
import io.hypersync.worker.fuse.dev.DescriptorSocket.Packet;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A worker's connection to the process that keeps its mount. That it is open says that the worker
 * lives: the keeper acts when it ends.
 */
public final class KeeperClient implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(KeeperClient.class);
  private static final Duration ANSWER_LIMIT = Duration.ofSeconds(5);
  private static final Duration FIRST_BYTE_LIMIT = Duration.ofSeconds(20);
  private static final long FIRST_BYTE_POLL_MS = 2;
  private static final long START_LIMIT_S = 20;

  /** A small JVM: it holds a few descriptors, and waits. */
  private static final List<String> FLAGS =
      List.of(
          "-Xms4m",
          "-Xmx16m",
          "-Xss512k",
          "-XX:+UseSerialGC",
          "-XX:TieredStopAtLevel=1",
          "-XX:ReservedCodeCacheSize=16m",
          "-Xshare:auto",
          "--enable-native-access=ALL-UNNAMED");

  /** Longer than what a successor may take until it is ready. */
  private static final Duration READY_LIMIT = Candidate.READY_LIMIT.plusSeconds(10);

  /** How long a successor that is ready waits for the end of the worker. */
  private static final Duration TURN_LIMIT = Duration.ofMinutes(2);

  private final DescriptorSocket socket;

  /** Whether the worker waits for an answer: that there is one to read does not mean the end. */
  private volatile boolean asking;

  private KeeperClient(DescriptorSocket socket) {
    this.socket = socket;
  }

  /**
   * A mount that was taken over.
   *
   * @param client the connection, which stays open while this process serves the mount
   * @param memory descriptor of the mount's memory
   * @param devices descriptors of {@code /dev/fuse}
   */
  public record Taken(KeptMount mount, KeeperClient client, int memory, List<Integer> devices) {}

  /**
   * Starts a keeper, and connects to it.
   *
   * @param path of its socket
   * @throws IOException if it does not start
   */
  public static KeeperClient start(Path path) throws IOException {
    Path folder = path.getParent();
    if (folder != null) {
      Files.createDirectories(folder);
    }
    Process process =
        new ProcessBuilder(command(path))
            .directory(Path.of("/").toFile())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try {
      awaitFirstByte(process);
      process.getInputStream().close();
      process.getOutputStream().close();
      return connect(path);
    } catch (IOException e) {
      process.destroyForcibly();
      try {
        var _ = process.waitFor(START_LIMIT_S, TimeUnit.SECONDS);
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
      }
      throw e;
    }
  }

  /** It writes a byte when it listens; callers of the mount wait meanwhile. */
  private static void awaitFirstByte(Process process) throws IOException {
    long limitNs = System.nanoTime() + FIRST_BYTE_LIMIT.toNanos();
    InputStream output = process.getInputStream();
    try {
      while (output.available() == 0) {
        if (!process.isAlive() && output.available() == 0) {
          throw new IOException("the process that is to keep the mount does not start");
        }
        if (System.nanoTime() - limitNs > 0) {
          throw new IOException(
              "the process that is to keep the mount has said nothing for "
                  + FIRST_BYTE_LIMIT.toSeconds()
                  + " s");
        }
        Thread.sleep(FIRST_BYTE_POLL_MS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while the keeper starts", e);
    }
  }

  private static List<String> command(Path path) {
    // In a session of its own, so that the signals of a terminal do not end it.
    List<String> command = new ArrayList<>();
    command.add("setsid");
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(FLAGS);
    command.addAll(
        List.of(
            "-cp",
            System.getProperty("java.class.path"),
            KeeperMain.class.getName(),
            path.toString()));
    return command;
  }

  static KeeperClient connect(Path path) throws IOException {
    DescriptorSocket socket = DescriptorSocket.connect(path);
    try {
      if (socket.peer().uid() != DescriptorSocket.ownUid()) {
        throw new IOException("the process at " + path + " is of another user");
      }
      socket.limit(ANSWER_LIMIT);
      return new KeeperClient(socket);
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }

  /**
   * Gives a mount to the keeper, which holds its descriptors from then on.
   *
   * @throws IOException if it does not take it
   */
  public void give(KeptMount mount, int memory, List<Integer> devices) throws IOException {
    List<Integer> all = new ArrayList<>(List.of(memory));
    all.addAll(devices);
    socket.send(KeeperMessage.of(KeeperMessage.Kind.GIVE, mount).encoded(), all);
    Answer answer = answer();
    DescriptorSocket.closeAll(answer.packet.descriptors());
    if (answer.message.kind() != KeeperMessage.Kind.DONE) {
      throw new IOException("the keeper does not take the mount: " + answer.message.text());
    }
  }

  /**
   * Takes over the mount that a keeper holds for the next worker.
   *
   * @param path of the keeper's socket
   * @return empty if there is no keeper
   * @throws IOException if it refuses: another worker serves the mount
   */
  public static Optional<Taken> take(Path path) throws IOException {
    @Nullable KeeperClient client = find(path);
    if (client == null) {
      return Optional.empty();
    }
    try {
      client.socket.send(KeeperMessage.of(KeeperMessage.Kind.TAKE).encoded(), List.of());
      Answer answer = client.answer();
      List<Integer> descriptors = answer.packet.descriptors();
      if (answer.message.kind() != KeeperMessage.Kind.KEPT || descriptors.size() < 2) {
        DescriptorSocket.closeAll(descriptors);
        throw new IOException(answer.message.text());
      }
      return Optional.of(
          new Taken(
              KeptMount.decode(answer.message.body()),
              client,
              descriptors.getFirst(),
              descriptors.subList(1, descriptors.size())));
    } catch (IOException | IllegalArgumentException e) {
      client.socket.close();
      throw e instanceof IOException failure ? failure : new IOException(e.getMessage(), e);
    }
  }

  /**
   * Whether a keeper holds this mount for the next worker.
   *
   * @param path of the keeper's socket
   */
  public static boolean waitsWith(Path path, Path mount) {
    try {
      @Nullable KeeperClient client = find(path);
      if (client == null) {
        return false;
      }
      try (DescriptorSocket socket = client.socket) {
        socket.send(KeeperMessage.of(KeeperMessage.Kind.ASK).encoded(), List.of());
        Answer answer = client.answer();
        DescriptorSocket.closeAll(answer.packet.descriptors());
        return answer.message.kind() == KeeperMessage.Kind.KEPT
            && KeptMount.decode(answer.message.body()).point().equals(mount);
      }
    } catch (IOException | IllegalArgumentException e) {
      LOG.debug("no keeper at {}", path, e);
      return false;
    }
  }

  /**
   * Asks whether this process was started to go on with a mount that another one still serves.
   *
   * @param path of the keeper's socket
   * @return empty if it was not, or there is no keeper
   * @throws IOException if the keeper says what makes no sense
   */
  public static Optional<Waiting> waiting(Path path) throws IOException {
    @Nullable KeeperClient client = find(path);
    if (client == null) {
      return Optional.empty();
    }
    try {
      client.socket.send(KeeperMessage.of(KeeperMessage.Kind.CANDIDATE).encoded(), List.of());
      Answer answer = client.answer();
      List<Integer> descriptors = answer.packet.descriptors();
      if (answer.message.kind() == KeeperMessage.Kind.KEPT && descriptors.size() == 1) {
        return Optional.of(
            new Waiting(KeptMount.decode(answer.message.body()), client, descriptors.getFirst()));
      }
      DescriptorSocket.closeAll(descriptors);
      client.close();
      return Optional.empty();
    } catch (IOException | IllegalArgumentException e) {
      client.close();
      throw e instanceof IOException failure ? failure : new IOException(e.getMessage(), e);
    }
  }

  /**
   * Tells a keeper why this process, which it may have started, cannot take its mount over. Does
   * nothing if it has not.
   */
  public static void tellFailure(Path path, String why) {
    @Nullable KeeperClient client = find(path);
    if (client == null) {
      return;
    }
    try (client) {
      client.tell(KeeperMessage.of(KeeperMessage.Kind.FAILED, why));
    } catch (IOException e) {
      LOG.debug("the keeper at {} does not hear", path, e);
    }
  }

  /**
   * A successor that waits for the end of the worker.
   *
   * @param client its connection
   * @param memory descriptor of the mount's memory, which the worker still writes
   */
  public record Waiting(KeptMount mount, KeeperClient client, int memory) implements AutoCloseable {

    /**
     * Says that this process can go on with the mount, and waits until the worker has ended.
     *
     * @throws IOException if the worker goes on, saying why, or the keeper is gone
     */
    public void awaitTurn(SuccessorBuild build) throws IOException {
      client.socket.limit(TURN_LIMIT);
      client.socket.send(
          KeeperMessage.of(KeeperMessage.Kind.READY, build.encoded()).encoded(), List.of());
      Answer answer = client.answer();
      DescriptorSocket.closeAll(answer.packet.descriptors());
      if (answer.message.kind() != KeeperMessage.Kind.DONE) {
        throw new IOException(answer.message.text());
      }
    }

    /** Says why this process cannot go on with the mount. */
    public void failed(String why) {
      try {
        client.socket.send(KeeperMessage.of(KeeperMessage.Kind.FAILED, why).encoded(), List.of());
      } catch (IOException e) {
        LOG.debug("the keeper does not hear", e);
      }
    }

    @Override
    public void close() {
      DescriptorSocket.closeAll(List.of(memory));
      client.close();
    }
  }

  /**
   * Has a successor started beside this worker; blocks until it is ready.
   *
   * @param launcher of another build; empty for the command of this worker
   * @throws IOException if none gets ready, saying why
   */
  public SuccessorBuild startSuccessor(String launcher) throws IOException {
    asking = true;
    try {
      socket.limit(READY_LIMIT);
      socket.send(KeeperMessage.of(KeeperMessage.Kind.RESTART, launcher).encoded(), List.of());
      Answer answer = answer();
      DescriptorSocket.closeAll(answer.packet.descriptors());
      if (answer.message.kind() != KeeperMessage.Kind.READY) {
        throw new IOException(answer.message.text());
      }
      return SuccessorBuild.decode(answer.message.text());
    } catch (IllegalArgumentException e) {
      throw new IOException("the successor is of another version: " + e.getMessage(), e);
    } finally {
      socket.limit(ANSWER_LIMIT);
      asking = false;
    }
  }

  /**
   * This worker is about to end, for the successor that is ready.
   *
   * @throws IOException if there is none any more
   */
  public void leaves() throws IOException {
    require(KeeperMessage.of(KeeperMessage.Kind.LEAVES));
  }

  /** This worker goes on, and needs no successor. */
  public void stays(String why) throws IOException {
    require(KeeperMessage.of(KeeperMessage.Kind.STAYS, why));
  }

  private void require(KeeperMessage message) throws IOException {
    KeeperMessage answer = tell(message);
    if (answer.kind() != KeeperMessage.Kind.DONE) {
      throw new IOException(answer.text());
    }
  }

  private static @Nullable KeeperClient find(Path path) {
    if (!Files.exists(path)) {
      return null;
    }
    try {
      return connect(path);
    } catch (IOException nobody) {
      LOG.debug("nobody listens at {}", path, nobody);
      return null;
    }
  }

  /**
   * This worker answers the requests of the mount that it has taken.
   *
   * @return how it has come to that
   * @throws IOException if the keeper is gone
   */
  public Succession serves() throws IOException {
    return Succession.decode(tell(KeeperMessage.of(KeeperMessage.Kind.SERVES)).body());
  }

  /** Whether the keeper still holds the mount. */
  public boolean isAlive() {
    if (asking) {
      return true; // who asks finds out
    }
    try {
      return !DescriptorSocket.awaitReadable(Duration.ZERO, List.of(socket)).getFirst();
    } catch (IOException e) {
      return false;
    }
  }

  private KeeperMessage tell(KeeperMessage message) throws IOException {
    asking = true;
    try {
      socket.send(message.encoded(), List.of());
      Answer answer = answer();
      DescriptorSocket.closeAll(answer.packet.descriptors());
      return answer.message;
    } finally {
      asking = false;
    }
  }

  /** The mount is gone, or is to go: the keeper ends. */
  public void end() {
    try {
      var _ = tell(KeeperMessage.of(KeeperMessage.Kind.END));
    } catch (IOException gone) {
      LOG.debug("the keeper had ended before", gone);
    }
    close();
  }

  @Override
  public void close() {
    socket.close();
  }

  private record Answer(KeeperMessage message, Packet packet) {}

  private Answer answer() throws IOException {
    Packet packet = socket.receive(KeeperMessage.MAX_BYTES);
    if (packet == null) {
      throw new IOException("the keeper has ended");
    }
    try {
      return new Answer(KeeperMessage.decode(packet.bytes()), packet);
    } catch (IllegalArgumentException e) {
      DescriptorSocket.closeAll(packet.descriptors());
      throw new IOException("the keeper is of another version: " + e.getMessage(), e);
    }
  }
}

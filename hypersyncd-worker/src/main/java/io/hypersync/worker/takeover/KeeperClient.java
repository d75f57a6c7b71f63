package io.hypersync.worker.takeover;

import io.hypersync.worker.fuse.dev.DescriptorSocket;
import io.hypersync.worker.fuse.dev.DescriptorSocket.Packet;
import java.io.IOException;
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

  private final DescriptorSocket socket;

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
      // It writes a byte when it listens, and closes its output if it cannot.
      if (process.getInputStream().read() < 0) {
        throw new IOException("the process that is to keep the mount does not start");
      }
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
      throw new IOException("the keeper does not take the mount: " + answer.message.reason());
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
        throw new IOException(answer.message.reason());
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
   * @throws IOException if the keeper is gone
   */
  public void serves() throws IOException {
    tell(KeeperMessage.Kind.SERVES);
  }

  /** Whether the keeper still holds the mount. */
  public boolean isAlive() {
    try {
      return !DescriptorSocket.awaitReadable(Duration.ZERO, List.of(socket)).getFirst();
    } catch (IOException e) {
      return false;
    }
  }

  private void tell(KeeperMessage.Kind kind) throws IOException {
    socket.send(KeeperMessage.of(kind).encoded(), List.of());
    Answer answer = answer();
    DescriptorSocket.closeAll(answer.packet.descriptors());
  }

  /** The mount is gone, or is to go: the keeper ends. */
  public void end() {
    try {
      tell(KeeperMessage.Kind.END);
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

package io.hypersync.runtime.admin;

import com.fasterxml.jackson.databind.JsonSerializable;
import io.hypersync.runtime.file.DurableFiles;
import io.hypersync.runtime.file.FileProblems;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves a daemon's admin commands on a Unix socket that only the daemon's user may open. One
 * virtual thread accepts connections, and each connection has a virtual thread of its own.
 */
public final class AdminServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AdminServer.class);
  private static final Duration TRANSFER_LIMIT = Duration.ofSeconds(10);

  /**
   * Limit of the total time spent writing one response; each piece of it also has {@link
   * #TRANSFER_LIMIT}, which alone would let a slow reader hold a connection for very long.
   */
  private static final Duration ANSWER_LIMIT = Duration.ofSeconds(60);

  private static final Duration LAST_ANSWERS_LIMIT = Duration.ofSeconds(5);
  private static final Duration PROBE_LIMIT = Duration.ofSeconds(2);
  private static final Duration ACCEPT_PAUSE = Duration.ofMillis(100);

  /** The kernel's {@code sun_path} has 108 bytes, the last of which is the terminating zero. */
  private static final int MAX_PATH_BYTES = 107;

  /** How many connections are served at once; further ones wait. */
  private static final int MAX_CONNECTIONS = 64;

  private final Path socket;
  private final ServerSocketChannel listener;
  private final Map<String, AdminCommand> commands;
  private final Duration answerLimit;
  private final Semaphore connections = new Semaphore(MAX_CONNECTIONS);

  private AdminServer(
      Path socket,
      ServerSocketChannel listener,
      Map<String, AdminCommand> commands,
      Duration answerLimit) {
    this.socket = socket;
    this.listener = listener;
    this.commands = Map.copyOf(commands);
    this.answerLimit = answerLimit;
  }

  /**
   * Starts to listen. A socket left behind by a dead daemon is replaced. A missing directory is
   * created, accessible to this user only.
   *
   * @param socket path of the socket, at most 102 bytes (107, less what {@code bind} adds)
   * @param commands the commands by name
   * @throws UserError if a running daemon listens there, or the socket cannot be created
   */
  public static AdminServer start(Path socket, Map<String, AdminCommand> commands) {
    return start(socket, commands, ANSWER_LIMIT);
  }

  /**
   * Like {@link #start(Path, Map)}, with another limit.
   *
   * @param answerLimit how long writing one response may take in total
   */
  static AdminServer start(Path socket, Map<String, AdminCommand> commands, Duration answerLimit) {
    refuseIfAlive(socket);
    try {
      Files.createDirectories(
          socket.toAbsolutePath().getParent(), DurableFiles.OWNER_ONLY_DIRECTORY);
      AdminServer server = new AdminServer(socket, bind(socket), commands, answerLimit);
      Thread.ofVirtual().name("admin-accept").start(server::acceptAll);
      return server;
    } catch (IOException failure) {
      throw new UserError(
          "cannot listen on the admin socket " + socket + ": " + FileProblems.describe(failure),
          FileProblems.hint(failure, "HYPERSYNC_RUN_DIR sets the folder of the admin sockets."));
    }
  }

  public Path socket() {
    return socket;
  }

  /**
   * Stops listening and removes the socket. Blocks until the commands in progress have been
   * answered, at most five seconds. May be called again.
   */
  @Override
  public void close() {
    try {
      listener.close();
      Files.deleteIfExists(socket);
      if (!connections.tryAcquire(
          MAX_CONNECTIONS, LAST_ANSWERS_LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
        LOG.warn("the admin socket {} ends with questions unanswered", socket);
        return;
      }
      connections.release(MAX_CONNECTIONS);
    } catch (IOException failure) {
      LOG.warn("the admin socket {} stays behind: {}", socket, FileProblems.describe(failure));
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Checks that no running daemon listens on a socket. A process that accepts but does not respond
   * counts as running.
   *
   * @throws AlreadyRunning if one does
   */
  public static void refuseIfAlive(Path socket) {
    boolean alive =
        switch (new AdminClient(socket, PROBE_LIMIT).ask("ping")) {
          case AdminClient.Reply.Dead _ -> false;
          case AdminClient.Reply.Result _ -> true;
          case AdminClient.Reply.Refused _ -> true;
          case AdminClient.Reply.Unresponsive _ -> true;
        };
    if (alive) {
      throw new AlreadyRunning(
          "a daemon is already listening on " + socket,
          "See it with ./hypersync status, and stop it before starting another.");
    }
  }

  /**
   * Binds under a temporary name, sets the permissions, then renames. So whoever sees the final
   * name finds a listening socket with its final permissions, and a stale socket is replaced
   * atomically. The temporary name is five bytes longer than the final one.
   */
  private static ServerSocketChannel bind(Path socket) throws IOException {
    Path fresh = socket.resolveSibling("." + socket.getFileName() + ".new");
    if (fresh.toString().getBytes(StandardCharsets.UTF_8).length > MAX_PATH_BYTES) {
      throw new IOException("the path is too long for a socket, which may have 102 bytes");
    }
    Files.deleteIfExists(fresh);
    ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    try {
      listener.bind(UnixDomainSocketAddress.of(fresh));
      Files.setPosixFilePermissions(fresh, PosixFilePermissions.fromString("rw-------"));
      Files.move(fresh, socket, StandardCopyOption.ATOMIC_MOVE);
      return listener;
    } catch (IOException failure) {
      listener.close();
      Files.deleteIfExists(fresh);
      throw failure;
    }
  }

  private void acceptAll() {
    boolean failed = false;
    while (listener.isOpen()) {
      try {
        SocketChannel channel = listener.accept();
        failed = false;
        connections.acquireUninterruptibly();
        Thread.ofVirtual().name("admin-connection").start(() -> serve(channel));
      } catch (ClosedChannelException closed) {
        break;
      } catch (IOException failure) {
        // For example, the process has too many open files. That passes; clients wait until then.
        if (!failed) {
          // Use only classes that are loaded already: loading another needs a file descriptor.
          LOG.warn("the admin socket {} is not answered for now: {}", socket, failure.getMessage());
        }
        failed = true;
        LockSupport.parkNanos(ACCEPT_PAUSE.toNanos());
      }
    }
    LOG.debug("the admin socket {} is closed", socket);
  }

  private void serve(SocketChannel channel) {
    try (channel) {
      LineChannel lines = new LineChannel(channel);
      byte[] request = lines.readLine(AdminCodec.MAX_REQUEST_BYTES, TRANSFER_LIMIT);
      answer(request, lines);
    } catch (IOException gone) {
      LOG.debug("an admin connection ended early: {}", gone.getMessage());
    } finally {
      connections.release();
    }
  }

  private void answer(byte[] line, LineChannel lines) throws IOException {
    try {
      AdminCodec.Request request = AdminCodec.decodeRequest(line);
      AdminCommand command = commands.get(request.command());
      if (command == null) {
        throw new UserError(
            "this daemon knows no command \"" + request.command() + '"',
            "It knows: " + String.join(", ", new TreeSet<>(commands.keySet())));
      }
      JsonSerializable result = command.run(request.args());
      AdminCodec.writeResult(result, lines.output(TRANSFER_LIMIT, answerLimit));
    } catch (UserError error) {
      lines.write(AdminCodec.encodeError(error), TRANSFER_LIMIT);
    } catch (RuntimeException bug) {
      // If part of the response was sent, the error line makes it invalid JSON, which is intended.
      LOG.error("an admin command failed", bug);
      UserError failed = new UserError("the daemon failed to answer: " + bug, "Its log says more.");
      lines.write(AdminCodec.encodeError(failed), TRANSFER_LIMIT);
    }
  }
}

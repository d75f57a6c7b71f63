package io.hypersync.wire.admin;

import com.fasterxml.jackson.databind.JsonSerializable;
import io.hypersync.wire.file.DurableFiles;
import io.hypersync.wire.file.FileProblems;
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
 * Answers a daemon's admin questions on a Unix socket that its user alone may open. A virtual
 * thread accepts, and another one serves each connection.
 */
public final class AdminServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AdminServer.class);
  private static final Duration TRANSFER_LIMIT = Duration.ofSeconds(10);

  /** For an answer in as many pieces as it has, to a reader who takes each of them just in time. */
  private static final Duration ANSWER_LIMIT = Duration.ofSeconds(60);

  private static final Duration LAST_ANSWERS_LIMIT = Duration.ofSeconds(5);
  private static final Duration PROBE_LIMIT = Duration.ofSeconds(2);
  private static final Duration ACCEPT_PAUSE = Duration.ofMillis(100);

  /** The kernel keeps 108 bytes for a socket's path, one of them for the zero at its end. */
  private static final int MAX_PATH_BYTES = 107;

  /** How many questions may be open at once; more wait. */
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
   * Listens, and answers from now on. A socket that a dead daemon left behind is replaced; the
   * folder is made if there is none, for this user alone.
   *
   * @param socket where to listen, at most 107 bytes long
   * @param commands what can be asked, by name
   * @throws UserError if a living daemon listens there, or nobody can
   */
  public static AdminServer start(Path socket, Map<String, AdminCommand> commands) {
    return start(socket, commands, ANSWER_LIMIT);
  }

  /**
   * The same.
   *
   * @param answerLimit for how long a reader may keep an answer waiting, all in all
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

  /** Where this server listens. */
  public Path socket() {
    return socket;
  }

  /**
   * Stops listening and removes the socket. Waits for the questions that are being answered, at
   * most five seconds; may be called again.
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
   * Checks that no living daemon listens on a socket.
   *
   * @throws UserError if one does
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
      throw new UserError(
          "a daemon is already listening on " + socket,
          "See it with ./hypersync status, and stop it before starting another.");
    }
  }

  /**
   * Binds under another name and renames: whoever sees the final name finds a socket that listens
   * and that has its permissions, and a stale file is replaced in the same step.
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
        // This process has too many files open, for one: that passes, and who asks waits meanwhile.
        if (!failed) {
          // Nothing that is not loaded yet may be used here: loading a class takes a file.
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
      // If a part of the answer has been sent, what follows makes it no line of JSON.
      LOG.error("an admin command failed", bug);
      UserError failed = new UserError("the daemon failed to answer: " + bug, "Its log says more.");
      lines.write(AdminCodec.encodeError(failed), TRANSFER_LIMIT);
    }
  }
}

package io.hypersync.runtime.admin;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.runtime.file.FileProblems;
import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** Sends commands to a daemon over its admin socket, one connection per command. */
public final class AdminClient {
  private final Path socket;
  private final Duration limit;

  /**
   * Makes a client without connecting.
   *
   * @param socket path of the daemon's admin socket
   * @param limit applied separately to connecting, to writing the request and to reading the
   *     response
   */
  public AdminClient(Path socket, Duration limit) {
    this.socket = socket;
    this.limit = limit;
  }

  /**
   * How a command ended. A daemon that is not running is one of the cases: many callers ask just to
   * find out.
   */
  public sealed interface Reply {
    /** The daemon executed the command and returned this value. */
    record Result(JsonNode value) implements Reply {}

    /** The daemon responded with an error. */
    record Refused(UserError error) implements Reply {}

    /** No process listens: the socket is missing, or was left behind by a daemon that died. */
    record Dead(String reason) implements Reply {}

    /** A process listens, but did not send a valid response within the time limit. */
    record Unresponsive(String reason) implements Reply {}
  }

  /** Sends a command without arguments; see {@link #ask(String, ObjectNode)}. */
  public Reply ask(String command) {
    return ask(command, JsonNodeFactory.instance.objectNode());
  }

  /**
   * Sends a command and blocks for the response, at most three times the time limit. Throws
   * nothing: every outcome is a {@link Reply}.
   */
  public Reply ask(String command, ObjectNode args) {
    if (!Files.exists(socket)) {
      return new Reply.Dead("there is no socket " + socket);
    }
    byte[] line;
    try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      LineChannel lines = new LineChannel(channel);
      lines.connect(UnixDomainSocketAddress.of(socket), limit);
      lines.write(AdminCodec.encodeRequest(new AdminCodec.Request(command, args)), limit);
      line = lines.readLine(AdminCodec.MAX_RESPONSE_BYTES, limit);
    } catch (ConnectException nobody) {
      return new Reply.Dead("nobody listens on " + socket);
    } catch (IOException failure) {
      return new Reply.Unresponsive(FileProblems.describe(failure));
    }
    try {
      return new Reply.Result(AdminCodec.decodeResponse(line));
    } catch (UserError refused) {
      return new Reply.Refused(refused);
    }
  }

  /**
   * Sends a command and returns its result. Blocks like {@link #ask(String, ObjectNode)}.
   *
   * @throws UserError if there is no result: the daemon is not running, does not respond in time,
   *     or responded with an error
   */
  public JsonNode call(String command, ObjectNode args) {
    return switch (ask(command, args)) {
      case Reply.Result(JsonNode value) -> value;
      case Reply.Refused(UserError error) -> throw error;
      case Reply.Dead(String reason) ->
          throw new UserError(
              "the daemon is not running: " + reason, "See which daemons run: ./hypersync status");
      case Reply.Unresponsive(String reason) ->
          throw new UserError(
              "the daemon at " + socket + " does not answer: " + reason,
              "Its log says what it is busy with.");
    };
  }
}

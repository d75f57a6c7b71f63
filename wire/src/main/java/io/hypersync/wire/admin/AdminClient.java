package io.hypersync.wire.admin;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.wire.file.FileProblems;
import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** Asks a daemon over its admin socket. */
public final class AdminClient {
  private final Path socket;
  private final Duration limit;

  /**
   * A client of one socket; connects anew for each question.
   *
   * @param socket where the daemon listens
   * @param limit how long it may take to connect, to ask, and to be answered, each
   */
  public AdminClient(Path socket, Duration limit) {
    this.socket = socket;
    this.limit = limit;
  }

  /** What became of a question; a dead daemon is an answer too, and often the one looked for. */
  public sealed interface Reply {
    /** The daemon answered. */
    record Result(JsonNode value) implements Reply {}

    /** The daemon answered that it cannot. */
    record Refused(UserError error) implements Reply {}

    /** Nobody listens: the socket is missing, or its daemon died and left it behind. */
    record Dead(String reason) implements Reply {}

    /** Somebody listens and does not answer in time, or not with an answer. */
    record Unresponsive(String reason) implements Reply {}
  }

  /** Asks without arguments. */
  public Reply ask(String command) {
    return ask(command, JsonNodeFactory.instance.objectNode());
  }

  /** Asks; every way in which this can end is a {@link Reply}. */
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
   * Asks for a result.
   *
   * @throws UserError if there is none: the daemon is dead, silent, or says why not
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

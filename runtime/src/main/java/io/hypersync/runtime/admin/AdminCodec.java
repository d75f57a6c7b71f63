package io.hypersync.runtime.admin;

import com.fasterxml.jackson.core.JsonGenerationException;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonStreamContext;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.JsonSerializable;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * The line format of an admin socket. Each side sends one line of UTF-8 JSON that ends in a line
 * feed:
 *
 * <pre>
 * request   {"command":"log","args":{"tail":50}}                                         LF
 * response  {"result":{...},"ok":true}                                                   LF
 *           {"ok":false,"error":{"message":"...","hint":"...","exit_code":1}}            LF
 * </pre>
 *
 * <p>One connection carries one request and its response. A result is written while it is produced,
 * so a failure in the middle can only be reported after it: {@code "ok"} is then false, an error
 * follows, and {@code "result"} is incomplete.
 */
final class AdminCodec {
  /** Limit of a request line, in bytes. */
  static final int MAX_REQUEST_BYTES = 64 * 1024;

  /** Limit of a response line, in bytes. */
  static final int MAX_RESPONSE_BYTES = 64 * 1024 * 1024;

  private static final ObjectMapper JSON = new ObjectMapper();

  private AdminCodec() {}

  record Request(String command, ObjectNode args) {}

  static byte[] encodeRequest(Request request) {
    ObjectNode line = JSON.createObjectNode();
    line.put("command", request.command());
    line.set("args", request.args());
    return encode(line);
  }

  /**
   * Decodes a request line; absent or null {@code args} become an empty object.
   *
   * @throws UserError if the line is not a request
   */
  static Request decodeRequest(byte[] line) {
    JsonNode tree = parse(line, "the request");
    JsonNode command = tree.path("command");
    JsonNode args = tree.path("args");
    if (!command.isTextual()) {
      throw new UserError("the request has no \"command\"", "");
    }
    return switch (args) {
      case ObjectNode object -> new Request(command.textValue(), object);
      case JsonNode other when other.isMissingNode() || other.isNull() ->
          new Request(command.textValue(), JSON.createObjectNode());
      default -> throw new UserError("\"args\" of the request must be an object", "");
    };
  }

  /**
   * Writes a response line while the result is produced: never more than a few KiB are buffered
   * here. If serializing the result throws {@link UserError}, the line is completed with {@code
   * "ok":false} and that error. After any other exception the line stays incomplete, so that no
   * client takes it for a response.
   *
   * @throws IOException if writing to the stream fails
   */
  static void writeResult(JsonSerializable result, OutputStream out) throws IOException {
    try (JsonGenerator json = JSON.createGenerator(out)) {
      json.disable(JsonGenerator.Feature.AUTO_CLOSE_JSON_CONTENT); // must not look complete
      json.writeStartObject();
      json.writeFieldName("result");
      try {
        result.serialize(json, JSON.getSerializerProviderInstance());
        json.writeBooleanField("ok", true);
      } catch (UserError error) {
        endWhatIsOpen(json);
        endName(json);
        writeError(json, error);
      }
      json.writeEndObject();
      json.writeRaw('\n');
    }
  }

  /** Closes every object and array that the result left open, up to the object that is the line. */
  private static void endWhatIsOpen(JsonGenerator json) throws IOException {
    JsonStreamContext open = json.getOutputContext();
    while (!open.getParent().inRoot()) {
      if (open.inArray()) {
        json.writeEndArray();
      } else {
        endName(json);
        json.writeEndObject();
      }
      open = json.getOutputContext();
    }
  }

  /** Writes null if the innermost object has a field name without a value. */
  private static void endName(JsonGenerator json) throws IOException {
    try {
      json.writeNull();
    } catch (JsonGenerationException noName) {
      // No value was expected and nothing was written. The generator offers no way to ask.
    }
  }

  static byte[] encodeError(UserError error) {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    try (JsonGenerator json = JSON.createGenerator(line)) {
      json.writeStartObject();
      writeError(json, error);
      json.writeEndObject();
      json.writeRaw('\n');
    } catch (IOException impossible) {
      throw new IllegalStateException("memory that cannot be written", impossible);
    }
    return line.toByteArray();
  }

  private static void writeError(JsonGenerator json, UserError error) throws IOException {
    json.writeBooleanField("ok", false);
    json.writeObjectFieldStart("error");
    json.writeStringField("message", error.message());
    json.writeStringField("hint", error.hint());
    json.writeNumberField("exit_code", error.exitCode());
    json.writeEndObject();
  }

  /**
   * Decodes a response line and returns its {@code result}.
   *
   * @throws UserError the error that the daemon sent, or one saying that the line is no response
   */
  static JsonNode decodeResponse(byte[] line) {
    JsonNode tree = parse(line, "the daemon's answer");
    if (tree.path("ok").asBoolean(false)) {
      return tree.path("result");
    }
    JsonNode error = tree.path("error");
    throw new UserError(
        error.path("message").asText("the daemon answered with neither a result nor an error"),
        error.path("hint").asText(""),
        error.path("exit_code").asInt(UserError.FAILED));
  }

  private static JsonNode parse(byte[] line, String what) {
    try {
      JsonNode tree = JSON.readTree(line);
      if (tree == null || !tree.isObject()) {
        throw new UserError(what + " is not a JSON object", "");
      }
      return tree;
    } catch (IOException malformed) {
      throw new UserError(what + " is not a line of JSON", "");
    }
  }

  private static byte[] encode(ObjectNode line) {
    try {
      return (JSON.writeValueAsString(line) + "\n").getBytes(StandardCharsets.UTF_8);
    } catch (JsonProcessingException impossible) {
      throw new IllegalStateException("a JSON tree that cannot be written", impossible);
    }
  }
}

package io.hypersync.leader.mail;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.TextNode;
import io.hypersync.model.text.Printable;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Reads answers of Agent Mail's servers. Whoever answers at that address has written them, so
 * nothing in them makes reading fail, and no text of them gets further unescaped or long.
 */
public final class RpcAnswers {
  private static final int OK = 200;
  private static final int UNAUTHORIZED = 401;
  private static final int FORBIDDEN = 403;
  private static final int SERVER_ERRORS = 500;
  private static final int MOST_CHARS = 300;

  private static final ObjectMapper MAPPER =
      new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  private RpcAnswers() {}

  /** What an HTTP answer to a call of a tool says. */
  public static CallOutcome tool(int status, String contentType, byte[] body, long id) {
    return read(status, contentType, body, id, false);
  }

  /** What an HTTP answer to a read of a resource says. */
  public static CallOutcome resource(int status, String contentType, byte[] body, long id) {
    return read(status, contentType, body, id, true);
  }

  private static CallOutcome read(
      int status, String contentType, byte[] body, long id, boolean isResource) {
    if (status != OK) {
      return failed(status);
    }
    String type = contentType.toLowerCase(Locale.ROOT);
    boolean isStream = type.startsWith("text/event-stream");
    if (!isStream && !type.startsWith("application/json")) {
      return new CallOutcome.Unsure("it answers with " + shortened(contentType) + ", not JSON");
    }
    String text = new String(body, StandardCharsets.UTF_8);
    JsonNode answer = isStream ? ofStream(text, id) : json(text);
    if (answer == null || !answer.isObject()) {
      return new CallOutcome.Unsure("it answers with something that is no JSON-RPC");
    }
    JsonNode error = answer.path("error");
    if (error.isObject()) {
      return new CallOutcome.Refused(shortened(error.path("message").asText("error")));
    }
    if (!isId(answer, id)) {
      return new CallOutcome.Unsure("it answers another question");
    }
    JsonNode result = answer.path("result");
    if (!result.isObject()) {
      return new CallOutcome.Unsure("it answers without a result");
    }
    String content = result.path(isResource ? "contents" : "content").path(0).path("text").asText();
    if (result.path("isError").asBoolean()) {
      return new CallOutcome.Refused(shortened(content.isEmpty() ? "error" : content));
    }
    JsonNode structured = result.path("structuredContent");
    if (structured.isObject()) {
      JsonNode wrapped = structured.path("result"); // as one of the servers wraps some values
      return new CallOutcome.Answered(
          structured.size() == 1 && wrapped.isContainerNode() ? wrapped : structured);
    }
    JsonNode value = json(content);
    return new CallOutcome.Answered(value == null ? TextNode.valueOf(content) : value);
  }

  private static CallOutcome failed(int status) {
    String said = "it answers with HTTP " + status;
    if (status == UNAUTHORIZED || status == FORBIDDEN) {
      return new CallOutcome.NotDone(said + ": set hypersync.agent_mail.token_file");
    }
    return status >= SERVER_ERRORS ? new CallOutcome.Unsure(said) : new CallOutcome.NotDone(said);
  }

  private static boolean isId(JsonNode answer, long id) {
    return answer.path("id").canConvertToLong() && answer.path("id").longValue() == id;
  }

  /** The message with this id in a stream of server-sent events; null if there is none. */
  private static @Nullable JsonNode ofStream(String text, long id) {
    StringBuilder data = new StringBuilder();
    for (String line : (text + "\n\n").split("\r\n|\n|\r", -1)) {
      if (line.startsWith("data:")) {
        data.append(line.substring("data:".length()).strip()).append('\n');
      } else if (line.isEmpty() && !data.isEmpty()) {
        JsonNode event = json(data.toString());
        if (event != null && isId(event, id)) {
          return event;
        }
        data.setLength(0);
      }
    }
    return null;
  }

  private static @Nullable JsonNode json(String text) {
    try {
      JsonNode read = MAPPER.readTree(text);
      return read == null || read.isMissingNode() ? null : read;
    } catch (JsonProcessingException e) {
      return null;
    }
  }

  /** On one line, escaped, and no longer than a line of a log should be. */
  public static String shortened(String text) {
    return Printable.line(Printable.line(text.strip(), MOST_CHARS), 2 * MOST_CHARS);
  }
}

package io.hypersync.leader.mail;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.model.hash.Hash;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which hazards need no mail any more, so that none is mailed twice after a restart. Its file is
 * JSON, {@code {"version":1,"through":41,"mailed":{"<key>":57}}}. It is written before each mail
 * leaves: a mail that a crash has cut off is not sent again. Mails tell what the log has anyway.
 *
 * @param through hazards of entries up to this one are done
 * @param mailed for pairs of agents and paths that were told later: through which entry
 */
public record MailCursor(long through, Map<Hash, Long> mailed) {
  /** The largest file that is read, in bytes. */
  public static final int MOST_BYTES = 1 << 20;

  private static final int VERSION = 1;
  private static final ObjectMapper MAPPER = new ObjectMapper();

  /** Copies the map. */
  public MailCursor {
    mailed = Map.copyOf(mailed);
  }

  /** Everything up to an entry is done, and nothing else. */
  public static MailCursor at(long index) {
    return new MailCursor(index, Map.of());
  }

  /** The content of its file. */
  public String encode() {
    ObjectNode root =
        JsonNodeFactory.instance.objectNode().put("version", VERSION).put("through", through);
    ObjectNode later = root.putObject("mailed");
    mailed.forEach((key, index) -> later.put(key.toString(), index));
    return root + "\n";
  }

  /** What a file says; null if it makes no sense. */
  public static @Nullable MailCursor decode(String text) {
    try {
      JsonNode root = MAPPER.readTree(text);
      if (root == null
          || root.path("version").asInt() != VERSION
          || !root.path("through").canConvertToLong()
          || root.path("through").longValue() < 0) {
        return null;
      }
      Map<Hash, Long> mailed = new HashMap<>();
      for (Map.Entry<String, JsonNode> each : root.path("mailed").properties()) {
        mailed.put(Hash.parse(each.getKey()), each.getValue().asLong());
      }
      return new MailCursor(root.path("through").longValue(), mailed);
    } catch (JsonProcessingException | IllegalArgumentException e) {
      return null;
    }
  }
}

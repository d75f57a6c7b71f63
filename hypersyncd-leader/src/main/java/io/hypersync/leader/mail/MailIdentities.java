package io.hypersync.leader.mail;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashMap;
import java.util.Map;

/**
 * The file of who the leader is in which project, {@code
 * {"version":1,"url":"..","identities":[{"project":"..","name":"..","token":".."}]}}. Tokens are
 * secrets, so only the leader's user may read it.
 */
public final class MailIdentities {
  /** The largest file that is read, in bytes. */
  public static final int MOST_BYTES = 1 << 20;

  private static final int VERSION = 1;
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private MailIdentities() {}

  /** The content of the file. */
  public static String encode(String url, Map<String, MailIdentity> byProject) {
    ObjectNode root = JsonNodeFactory.instance.objectNode().put("version", VERSION).put("url", url);
    ArrayNode all = root.putArray("identities");
    byProject.forEach(
        (project, identity) ->
            all.addObject()
                .put("project", project)
                .put("name", identity.name())
                .put("token", identity.token()));
    return root + "\n";
  }

  /** Those of a server, by project; none if the file is of another one, or makes no sense. */
  public static Map<String, MailIdentity> decode(String url, String text) {
    Map<String, MailIdentity> byProject = new HashMap<>();
    try {
      JsonNode root = MAPPER.readTree(text);
      if (root != null
          && root.path("version").asInt() == VERSION
          && root.path("url").asText().equals(url)) {
        for (JsonNode each : root.path("identities")) {
          byProject.put(
              each.path("project").asText(),
              new MailIdentity(each.path("name").asText(), each.path("token").asText()));
        }
      }
      return byProject;
    } catch (JsonProcessingException e) {
      return Map.of();
    }
  }
}

package io.hypersync.cli.robot;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/** A part of a list, with the keys that NTM's lists have. */
final class Page {
  private static final int DEFAULT_LIMIT = 50;
  private static final int MOST = 1_000;

  private Page() {}

  /** Adds {@code key} with the wanted part of a list, and how much there is. */
  static ObjectNode of(RobotArguments args, String key, List<? extends JsonNode> all) {
    int limit = args.number("--limit", 1, MOST, DEFAULT_LIMIT);
    int offset = args.number("--offset", 0, Integer.MAX_VALUE, 0);
    int from = Math.min(offset, all.size());
    int to = Math.min(all.size(), from + limit);
    ObjectNode tree = JsonNodeFactory.instance.objectNode();
    ArrayNode part = tree.putArray(key);
    all.subList(from, to).forEach(part::add);
    return tree.put("total_matches", all.size())
        .put("offset", offset)
        .put("count", to - from)
        .put("has_more", to < all.size());
  }
}

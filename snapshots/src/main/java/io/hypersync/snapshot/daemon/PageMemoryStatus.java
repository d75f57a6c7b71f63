package io.hypersync.snapshot.daemon;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.model.trie.PageCache;

/** What of a state is in memory, for {@code status}; the keys are in docs/json.md. */
public final class PageMemoryStatus {
  private PageMemoryStatus() {}

  /** The report; any thread. */
  public static ObjectNode of(PageCache cache) {
    ObjectNode memory = JsonNodeFactory.instance.objectNode();
    memory.put("pages", cache.pages());
    memory.put("bytes", cache.bytes());
    if (cache.maxBytes() == Long.MAX_VALUE) {
      memory.putNull("limit");
    } else {
      memory.put("limit", cache.maxBytes());
    }
    memory.put("read", cache.reads());
    memory.put("dropped", cache.drops());
    return memory;
  }
}

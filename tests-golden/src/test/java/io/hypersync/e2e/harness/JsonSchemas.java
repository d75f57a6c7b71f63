package io.hypersync.e2e.harness;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** The schemas of {@code docs/schemas}, by which what commands write is judged. */
public final class JsonSchemas {
  private static final Path FOLDER =
      Path.of("").toAbsolutePath().getParent().resolve("docs").resolve("schemas");

  /** Any address: the files refer to each other by their names. */
  private static final String BASE = "https://hypersync.invalid/schemas/";

  /** Objects whose keys are names, such as those of agents. */
  private static final Set<String> BY_NAME = Set.of("by_agent", "sampled_costs", "exit_codes");

  private static final ObjectMapper JSON = new ObjectMapper();

  private final Map<String, String> texts = new HashMap<>();
  private final SchemaRegistry registry;

  private JsonSchemas(Map<String, String> found) {
    texts.putAll(found);
    registry =
        SchemaRegistry.withDefaultDialect(
            SpecificationVersion.DRAFT_2020_12, builder -> builder.schemas(texts));
  }

  /** Reads all of them. */
  public static JsonSchemas read() throws IOException {
    Map<String, String> texts = new HashMap<>();
    try (Stream<Path> files = Files.list(FOLDER)) {
      for (Path file : files.toList()) {
        texts.put(BASE + file.getFileName(), Files.readString(file));
      }
    }
    return new JsonSchemas(texts);
  }

  /** The names of the schemas, without their folder and ending. */
  public Set<String> names() {
    Set<String> names = new TreeSet<>();
    texts.keySet().forEach(key -> names.add(key.substring(BASE.length()).replace(".json", "")));
    return names;
  }

  /** What is wrong with a document; empty if nothing is. */
  public List<String> errors(String schema, JsonNode document) {
    Schema found = registry.getSchema(SchemaLocation.of(BASE + schema + ".json"));
    return found.validate(document).stream().map(String::valueOf).toList();
  }

  /** Fails unless the document is as the schema says, and all its keys are in some schema. */
  public void assertValid(String schema, JsonNode document) {
    assertEquals(List.of(), errors(schema, document), () -> document.toPrettyString());
  }

  /**
   * The keys of a document that neither its schema nor the envelope describes: a reader could not
   * know what they are.
   */
  public Set<String> undescribed(String schema, JsonNode document) throws IOException {
    Set<String> described = new TreeSet<>();
    for (String name : List.of(schema, "robot-envelope")) {
      addDescribed(JSON.readTree(texts.get(BASE + name + ".json")), described);
    }
    Set<String> used = new TreeSet<>();
    addKeys(document, used);
    used.removeAll(described);
    return used;
  }

  private static void addDescribed(JsonNode schema, Set<String> keys) {
    schema.path("properties").fieldNames().forEachRemaining(keys::add);
    schema.forEach(each -> addDescribed(each, keys));
  }

  private static void addKeys(JsonNode node, Set<String> keys) {
    List<JsonNode> below = new ArrayList<>();
    node.properties()
        .forEach(
            each -> {
              keys.add(each.getKey());
              if (!BY_NAME.contains(each.getKey())) {
                below.add(each.getValue());
              }
            });
    if (node.isArray()) {
      node.forEach(below::add);
    }
    below.forEach(each -> addKeys(each, keys));
  }
}

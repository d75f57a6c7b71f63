package io.hypersync.cli.profile;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Candidates of a profile with a thousand mutations. */
class LocalCandidatesTest {
  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        // directory mutations created removed; ... | candidates
        "p 1000 500 10                          | ''",
        "p/target 300 100 0                     | p/target: made again by a tool",
        "p/target 19 10 0                       | ''",
        "p/target 20 10 0                       | p/target: made again by a tool",
        "p/target 300 9 0; p/target/dist 200 9 0 | p/target: made again by a tool",
        "p/tmp 300 100 80                       | p/tmp: comes and goes",
        "p/tmp 300 100 79                       | ''",
        "p/tmp 300 19 19                        | ''",
        "p/renames 300 200 100                  | ''",
        "a/build 100 9 0; b/build 90 9 0        | a/build: made again by a tool, b/build: made again by a tool",
        "p/targets 300 9 0                      | ''",
      })
  void whatToolsMakeAgainOrWhatComesAndGoes(String directories, String proposed) {
    ArrayNode rows = JsonNodeFactory.instance.arrayNode();
    for (String directory : directories.split("; ", -1)) {
      String[] cells = directory.split(" ", -1);
      rows.addObject()
          .put("path", cells[0])
          .put("mutations", Long.parseLong(cells[1]))
          .put("created", Long.parseLong(cells[2]))
          .put("removed", Long.parseLong(cells[3]));
    }
    List<String> found = new ArrayList<>();
    for (JsonNode candidate : LocalCandidates.of(rows, 1_000)) {
      found.add(candidate.path("path").asText() + ": " + candidate.path("why").asText());
    }
    assertEquals(proposed, String.join(", ", found));
  }
}

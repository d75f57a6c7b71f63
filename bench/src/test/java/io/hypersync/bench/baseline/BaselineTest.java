package io.hypersync.bench.baseline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.runtime.admin.UserError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A baseline")
final class BaselineTest {
  @TempDir private Path folder;

  @Test
  @DisplayName("comes back from its file with three digits of each ratio")
  void roundTrip() {
    Path file = folder.resolve("not-there-yet").resolve("micro.json");
    new Baseline(
            "micro", 0.5, List.of(new Row("a b=1", "disk", 1.23456), new Row("c", "d", 98_765)))
        .write(file);
    assertEquals(
        new Baseline(
            "micro", 0.5, List.of(new Row("a b=1", "disk", 1.23), new Row("c", "d", 98_800))),
        Baseline.read("micro", file));
  }

  @Test
  @DisplayName("is not there, or is another suite's: says so")
  void wrongFile() {
    Path file = folder.resolve("e2e.json");
    assertThrows(UserError.class, () -> Baseline.read("e2e", file));
    new Baseline("e2e", 0, List.of()).write(file);
    UserError other = assertThrows(UserError.class, () -> Baseline.read("micro", file));
    assertTrue(String.valueOf(other.getMessage()).contains("suite e2e"), other::toString);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "not json",
        "{}",
        "{\"suite\":\"micro\",\"load_average\":1}",
        "{\"suite\":\"micro\",\"rows\":[]}",
        "{\"load_average\":1,\"rows\":[]}",
        "{\"suite\":\"micro\",\"load_average\":1,\"rows\":[{\"row\":\"a\",\"beside\":\"b\"}]}",
        "{\"suite\":\"micro\",\"load_average\":1,\"rows\":[{\"row\":\"a\",\"beside\":\"b\",\"ratio\":0}]}",
        "{\"suite\":\"micro\",\"load_average\":1,\"rows\":[{\"row\":\"a\",\"beside\":\"b\",\"ratio\":1},"
            + "{\"row\":\"a\",\"beside\":\"b\",\"ratio\":2}]}",
      })
  @DisplayName("that is damaged is refused with the file's name")
  void damaged(String text) throws IOException {
    Path file = Files.writeString(folder.resolve("damaged.json"), text);
    UserError refused = assertThrows(UserError.class, () -> Baseline.read("micro", file));
    assertTrue(String.valueOf(refused.getMessage()).contains("damaged.json"), refused::toString);
  }
}

package io.hypersync.bench.baseline;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.runtime.admin.UserError;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Ratios of an earlier run, which later runs of a suite are compared with. The file is JSON: {@code
 * suite}, {@code load_average}, and {@code rows[]} with {@code row}, {@code beside} and {@code
 * ratio}, rounded to three digits.
 *
 * @param suite name of the suite
 * @param load the load average of the machine during the run, at least 0
 * @param rows with unique names
 */
public record Baseline(String suite, double load, List<Row> rows) {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final MathContext DIGITS = new MathContext(3);

  /**
   * Copies the rows.
   *
   * @throws IllegalArgumentException if a name occurs twice
   */
  public Baseline {
    rows = List.copyOf(rows);
    Set<String> names = new HashSet<>();
    for (Row row : rows) {
      if (!names.add(row.name())) {
        throw new IllegalArgumentException("two rows '" + row.name() + "'");
      }
    }
  }

  /**
   * Reads a file.
   *
   * @throws UserError if the file does not exist or is not a baseline of this suite
   */
  public static Baseline read(String suite, Path file) {
    String text;
    try {
      text = Files.readString(file);
    } catch (IOException failure) {
      throw new UserError(
          "there is no baseline " + file,
          "Write one: the same command with --save instead of --compare\n"
              + "or name it: --baseline FILE");
    }
    Baseline found;
    try {
      found = parse(text);
    } catch (IOException | IllegalArgumentException malformed) {
      throw new UserError(
          file + " is no baseline: " + malformed.getMessage(), "Write it again: --save");
    }
    if (!found.suite.equals(suite)) {
      throw new UserError(
          file + " is the baseline of suite " + found.suite + ", this is " + suite,
          "Name the right one: --baseline FILE",
          UserError.USAGE);
    }
    return found;
  }

  /**
   * Parses the format of {@link #render}.
   *
   * @throws IOException if it is not JSON
   * @throws IllegalArgumentException if something is missing or out of range
   */
  static Baseline parse(String text) throws IOException {
    JsonNode tree = JSON.readTree(text);
    List<Row> rows = new ArrayList<>();
    for (JsonNode row : required(tree, "rows")) {
      rows.add(
          new Row(
              required(row, "row").asText(),
              required(row, "beside").asText(),
              required(row, "ratio").asDouble()));
    }
    return new Baseline(
        required(tree, "suite").asText(), required(tree, "load_average").asDouble(), rows);
  }

  /** Returns the contents of the file. */
  String render() {
    ObjectNode tree = JsonNodeFactory.instance.objectNode();
    tree.put("suite", suite);
    tree.put("load_average", BigDecimal.valueOf(load).round(DIGITS));
    ArrayNode list = tree.putArray("rows");
    for (Row row : rows) {
      BigDecimal ratio = BigDecimal.valueOf(row.ratio()).round(DIGITS);
      list.addObject().put("row", row.name()).put("beside", row.beside()).put("ratio", ratio);
    }
    return tree.toPrettyString() + "\n";
  }

  /**
   * Writes the file and creates its directory.
   *
   * @throws UserError if it cannot be written
   */
  public void write(Path file) {
    try {
      Path folder = file.toAbsolutePath().getParent();
      if (folder != null) {
        Files.createDirectories(folder);
      }
      Files.writeString(file, render());
    } catch (IOException failure) {
      throw new UserError("cannot write " + file + ": " + failure.getMessage(), "");
    }
  }

  private static JsonNode required(JsonNode tree, String key) {
    JsonNode value = tree.get(key);
    if (value == null || value.isNull()) {
      throw new IllegalArgumentException("it has no " + key);
    }
    return value;
  }
}

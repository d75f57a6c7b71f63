package io.hypersync.mutants;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * The seeds that have caught the mutants, so that a hunt need not find them again: a line each, the
 * seed, a tab, and what the mutant is. A change of the simulator or of the program changes
 * histories; then some of the seeds catch nothing, and the hunt takes longer until they are written
 * anew.
 */
final class RememberedSeeds {
  private static final String RESOURCE = "/mutants/seeds.tsv";

  private RememberedSeeds() {}

  /** The seed of each mutant that has one, by what it is. */
  static Map<String, Long> read() throws IOException {
    try (InputStream in =
        Objects.requireNonNull(RememberedSeeds.class.getResourceAsStream(RESOURCE), RESOURCE)) {
      Map<String, Long> seeds = new LinkedHashMap<>();
      for (String line : new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList()) {
        int tab = line.indexOf('\t');
        seeds.put(line.substring(tab + 1), Long.valueOf(line.substring(0, tab)));
      }
      return seeds;
    }
  }

  static void write(Path file, Map<String, Long> seeds) throws IOException {
    Files.writeString(
        file,
        seeds.entrySet().stream()
            .map(each -> each.getValue() + "\t" + each.getKey() + "\n")
            .collect(Collectors.joining()));
  }
}

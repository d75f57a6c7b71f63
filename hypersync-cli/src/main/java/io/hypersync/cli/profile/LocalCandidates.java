package io.hypersync.cli.profile;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Chooses the directories that should be local to each machine instead of shared, with the evidence
 * (hypersync.md 3, 17.1(2)). Pure.
 */
public final class LocalCandidates {
  /** A directory with a smaller share of all mutations is not worth moving. */
  private static final double LEAST_SHARE = 0.02;

  /**
   * The least number of created names for a judgement about a directory whose name is not in {@link
   * #KNOWN}.
   */
  private static final long LEAST_CREATED = 20;

  /**
   * A directory whose files come and go has at least this ratio of removed to created names. It is
   * less than 1 because a file that is written under another name and renamed counts as created
   * twice and removed once.
   */
  private static final double MOSTLY = 0.8;

  /**
   * Names of directories that tools can regenerate, and the option or variable that moves each
   * elsewhere.
   */
  private static final Map<String, String> KNOWN =
      Map.ofEntries(
          Map.entry(".cache", "XDG_CACHE_HOME"),
          Map.entry(".gradle", "GRADLE_USER_HOME, --project-cache-dir"),
          Map.entry(".m2", "-Dmaven.repo.local"),
          Map.entry(".mypy_cache", "MYPY_CACHE_DIR"),
          Map.entry(".next", "distDir"),
          Map.entry(".npm", "npm_config_cache"),
          Map.entry(".pytest_cache", "-o cache_dir"),
          Map.entry(".ruff_cache", "RUFF_CACHE_DIR"),
          Map.entry(".tox", "--workdir"),
          Map.entry(".venv", "a symbolic link"),
          Map.entry("__pycache__", "PYTHONPYCACHEPREFIX"),
          Map.entry("build", "the build directory of Gradle, CMake or Meson"),
          Map.entry("dist", "the output directory of the bundler"),
          Map.entry("go-build", "GOCACHE"),
          Map.entry("node_modules", "a symbolic link"),
          Map.entry("target", "CARGO_TARGET_DIR; with Maven, a symbolic link"),
          Map.entry("venv", "a symbolic link"));

  private LocalCandidates() {}

  /**
   * Returns the candidates, those with most mutations first; none is inside another.
   *
   * @param directories of a profile, each counted with everything below it, sorted by mutations
   * @param mutations total number of the profile
   */
  public static ArrayNode of(JsonNode directories, long mutations) {
    ArrayNode found = JsonNodeFactory.instance.arrayNode();
    List<String> taken = new ArrayList<>();
    for (JsonNode directory : directories) { // a parent has more mutations, so it comes first
      String path = directory.path("path").asText();
      double share = mutations == 0 ? 0 : directory.path("mutations").asDouble() / mutations;
      String name = path.substring(path.lastIndexOf('/') + 1);
      boolean isInside = taken.stream().anyMatch(outer -> path.startsWith(outer + "/"));
      if (share >= LEAST_SHARE
          && !isInside
          && (KNOWN.containsKey(name) || comesAndGoes(directory))) {
        taken.add(path);
        ObjectNode candidate = found.addObject();
        candidate.put("path", path);
        candidate.put("share", Math.round(1_000 * share) / 1_000.0);
        candidate.put("why", KNOWN.containsKey(name) ? "made again by a tool" : "comes and goes");
        candidate.put("how", KNOWN.getOrDefault(name, "a symbolic link, or TMPDIR"));
        for (String key : List.of("mutations", "bytes", "created", "removed")) {
          candidate.set(key, directory.path(key));
        }
      }
    }
    return found;
  }

  private static boolean comesAndGoes(JsonNode directory) {
    long created = directory.path("created").asLong();
    return created >= LEAST_CREATED && directory.path("removed").asLong() >= MOSTLY * created;
  }
}

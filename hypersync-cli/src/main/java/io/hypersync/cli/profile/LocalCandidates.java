package io.hypersync.cli.profile;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Which directories should be local to each machine, and by what evidence (hypersync.md 3,
 * 17.1(2)). Pure.
 */
final class LocalCandidates {
  /** Below that share of all changes, moving a directory changes nothing. */
  private static final double LEAST_SHARE = 0.02;

  /** So many names say something about a directory that nobody knows by its name. */
  private static final long LEAST_CREATED = 20;

  /** Files that are written under another name and renamed count as made twice, removed once. */
  private static final double MOSTLY = 0.8;

  /** Names that tools give to what they can make again, and how they are told another place. */
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
   * The candidates, those with most changes first; none is inside another.
   *
   * @param directories of a profile, each with all that is below it
   * @param mutations in all
   */
  static ArrayNode of(JsonNode directories, long mutations) {
    ArrayNode found = JsonNodeFactory.instance.arrayNode();
    List<String> taken = new ArrayList<>();
    for (JsonNode directory : directories) { // a parent has more changes, so it comes first
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

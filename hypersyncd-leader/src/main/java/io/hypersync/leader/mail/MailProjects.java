package io.hypersync.leader.mail;

import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** To which project of Agent Mail a path of the workspace belongs: the innermost one. */
final class MailProjects {
  private final List<Place> places;

  private record Place(String project, String inWorkspace) {
    boolean holds(String path) {
      return inWorkspace.isEmpty()
          || path.equals(inWorkspace)
          || path.startsWith(inWorkspace + "/");
    }
  }

  /** Projects that are not below one of the mounts are left out. */
  MailProjects(List<String> projects, List<String> mounts) {
    this.places =
        projects.stream()
            .flatMap(
                project ->
                    mounts.stream()
                        .filter(mount -> isBelow(project, mount))
                        .limit(1)
                        .map(mount -> place(project, mount)))
            .sorted(Comparator.comparingInt((Place place) -> -place.inWorkspace().length()))
            .toList();
  }

  /** Whether a project is in a workspace that is mounted there. */
  static boolean isBelow(String project, String mount) {
    return project.equals(mount) || project.startsWith(mount + "/");
  }

  private static Place place(String project, String mount) {
    return new Place(
        project, project.length() == mount.length() ? "" : project.substring(mount.length() + 1));
  }

  /**
   * The project of a path.
   *
   * @param path from the workspace's root; empty if it is not known, which is in the only project
   * @return null if it is in none
   */
  @Nullable String of(byte[] path) {
    if (path.length == 0) {
      return places.size() == 1 ? places.getFirst().project() : null;
    }
    String text = new String(path, StandardCharsets.UTF_8);
    return places.stream()
        .filter(place -> place.holds(text))
        .map(Place::project)
        .findFirst()
        .orElse(null);
  }
}
